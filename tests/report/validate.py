#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""validate.py report SCHEMA FILE...: reports against docs/report.schema.json, which must also know every key.
validate.py sarif [SCHEMA] FILE...: SARIF files against the published schema ("" or missing: it is skipped, in a line), and
what code hosts ask for besides. Exit status 77: there is no python3-jsonschema."""
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    print('SKIP: python3-jsonschema is not installed')
    sys.exit(77)


def unknown_keys(schema, node, value, path='report'):
    if '$ref' in node:
        node = schema['definitions'][node['$ref'].rsplit('/', 1)[1]]
    if isinstance(value, dict):
        for key, inner in value.items():
            inner_node = node.get('properties', {}).get(key, node.get('additionalProperties'))
            if not inner_node:
                sys.exit(f'{path}.{key} is not in the schema')
            unknown_keys(schema, inner_node, inner, f'{path}.{key}')
    for inner in value if isinstance(value, list) else []:
        unknown_keys(schema, node['items'], inner, path + '[]')


def report(schema_path, files):
    schema = json.load(open(schema_path))
    jsonschema.Draft7Validator.check_schema(schema)
    for name in files:
        value = json.load(open(name))
        jsonschema.Draft7Validator(schema).validate(value)
        unknown_keys(schema, schema, value)


def sarif_log(log):
    run = log['runs'][0]
    rules = run['tool']['driver']['rules']
    assert len({r['id'] for r in rules}) == len(rules), 'a rule id appears twice'
    prints = [tuple(r['partialFingerprints'].items()) for r in run['results']]
    assert len(set(prints)) == len(prints), 'two results have one fingerprint'
    for result in run['results']:
        assert rules[result['ruleIndex']]['id'] == result['ruleId']
        flows = [l['location'] for f in result.get('codeFlows', []) for t in f['threadFlows'] for l in t['locations']]
        assert result['locations'], 'a result without a location: code hosts refuse the file'
        for location in result['locations'] + flows:
            place = location.get('physicalLocation', {})
            assert place.get('artifactLocation', {}).get('uri') and place.get('region', {}).get('startLine', 0) > 0, \
                f'{result["ruleId"]}: a location without file and line: {location}'
        for flow in result.get('codeFlows', []):
            orders = [l['executionOrder'] for t in flow['threadFlows'] for l in t['locations']]
            assert sorted(orders) == list(range(1, len(orders) + 1)), f'execution order {orders}'
    return run['results']


def sarif(schema_path, files):
    schema = json.load(open(schema_path)) if schema_path else None
    if not schema:
        print('SKIP: the published schema of SARIF is not here (VTEGRA_SARIF_SCHEMA names it); checked without it')
    for name in files:
        log = json.load(open(name))
        if schema:
            jsonschema.Draft7Validator(schema).validate(log)
        end = log['runs'][0]['invocations'][0]
        print('ended', end['executionSuccessful'], end.get('exitCode'), end.get('exitSignalName'))
        for r in sarif_log(log):
            flows = [l['location'].get('physicalLocation', {}).get('region', {}).get('startLine')
                     for f in r.get('codeFlows', []) for t in f['threadFlows'] for l in t['locations']]
            where = r['locations'][0].get('physicalLocation', {})
            print(r['ruleId'], r['level'], where.get('artifactLocation', {}).get('uri'),
                  where.get('region', {}).get('startLine'), 'flow', flows, r['partialFingerprints']['vtegraPlaces/v1'])


if sys.argv[1] == 'report':
    report(sys.argv[2], sys.argv[3:])
else:
    sarif(sys.argv[2] or os.environ.get('VTEGRA_SARIF_SCHEMA', ''), sys.argv[3:])
