#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""decode.py FILE [--flow RULE SOURCE SINK] [--slice TEXT]... [--only TRACK NAME]... [--counter TEXT]... [--behind TEXT NAME]...

Decodes a timeline by track_event.proto, fails on a field or a wire type that it does not have, on a name that is not
interned, on a slice without its end, and on an arrow whose source is not before its sink. --flow: the finding RULE ends
an arrow that begins on the track SOURCE with a store (or another access) and ends on the track SINK. --only: slices of that
name are on that track, and on no other. --behind: a slice of a track with TEXT in its name waits behind NAME."""
import os
import re
import sys

WIRE = {'uint64': 0, 'uint32': 0, 'int32': 0, 'int64': 0, 'fixed64': 1, 'string': 2}
MESSAGES = {}


def schema():
    text = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'track_event.proto')).read()
    for name, body in re.findall(r'message (\w+) \{(.*?)\}', text, re.S):
        MESSAGES[name] = {int(n): (kind, field) for kind, field, n in
                          re.findall(r'(?:optional|repeated) (\w+) (\w+) = (\d+);', body)}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def decode(message, data):
    out, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        field, wire = key >> 3, key & 7
        if field not in MESSAGES[message]:
            sys.exit(f'{message} has no field {field}')
        kind, name = MESSAGES[message][field]
        if wire != WIRE.get(kind, 2):
            sys.exit(f'{message}.{name}: wire type {wire}, must be {WIRE.get(kind, 2)}')
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = int.from_bytes(data[at:at + 8], 'little'), at + 8
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, f'{message}.{name} is cut off'
            value = value.decode('utf-8') if kind == 'string' else decode(kind, value)
        out.setdefault(name, []).append(value)
    return out


def one(message, name, default=None):
    return message.get(name, [default])[0]


class Timeline:
    def __init__(self, packets):
        self.tracks, self.names, self.categories, self.events = {}, {}, {}, []
        assert one(packets[0], 'sequence_flags') == 1, 'the first packet clears the state'
        for packet in packets:
            assert one(packet, 'trusted_packet_sequence_id') == 1
            for data in packet.get('interned_data', []):
                self.names.update((one(n, 'iid'), one(n, 'name')) for n in data.get('event_names', []))
                self.categories.update((one(n, 'iid'), one(n, 'name')) for n in data.get('event_categories', []))
            for track in packet.get('track_descriptor', []):
                self.track(track)
            for event in packet.get('track_event', []):
                self.event(packet, event)

    def track(self, track):
        inner = one(track, 'process') or one(track, 'thread') or {}
        name = one(track, 'name') or one(inner, 'process_name') or one(inner, 'thread_name')
        parent = one(track, 'parent_uuid')
        assert parent is None or parent in self.tracks, f'track {name}: its parent is not described'
        self.tracks[one(track, 'uuid')] = (name, one(one(track, 'counter', {}), 'unit'))

    def event(self, packet, event):
        assert one(packet, 'sequence_flags') == 2, 'an event needs the interned names'
        assert one(event, 'track_uuid') in self.tracks, 'an event on a track that is not described'
        iid = one(event, 'name_iid')
        assert iid is None or iid in self.names, f'name {iid} is not interned'
        assert all(c in self.categories for c in event.get('category_iids', []))
        self.events.append({
            'time': one(packet, 'timestamp'), 'type': one(event, 'type'), 'name': self.names.get(iid),
            'track': self.tracks[one(event, 'track_uuid')][0], 'uuid': one(event, 'track_uuid'),
            'category': self.categories.get(one(event, 'category_iids')),
            'value': one(event, 'counter_value'),
            'behind': next((one(a, 'string_value') for a in event.get('debug_annotations', [])
                            if one(a, 'name') == 'behind'), None),
            'flow': event.get('flow_ids', []),
            'end': event.get('terminating_flow_ids', [])})

    def slices(self):
        """Begin and end pair up on each track, and no end is before its begin."""
        order = sorted(range(len(self.events)), key=lambda i: (self.events[i]['time'], i))
        open_ = {}
        for event in (self.events[i] for i in order):
            stack = open_.setdefault(event['uuid'], [])
            if event['type'] == 1:
                stack.append(event)
            elif event['type'] == 2:
                assert stack, f"an end without a begin on {event['track']} at {event['time']}"
                stack.pop()
        assert not any(open_.values()), [e for s in open_.values() for e in s][:2]

    def flows(self):
        for end in self.events:
            for flow in end['end']:
                steps = [e for e in self.events if flow in e['flow']]
                assert steps, f"the arrow of {end['name']} has no source"
                times = [e['time'] for e in steps] + [end['time']]
                assert times == sorted(set(times)), f"the arrow of {end['name']} does not go forward: {times}"
                yield steps, end


def main():
    schema()
    packets = decode('Trace', open(sys.argv[1], 'rb').read())['packet']
    timeline = Timeline(packets)
    timeline.slices()
    flows = list(timeline.flows())
    args = sys.argv[2:]
    while args:
        what = args.pop(0)
        if what == '--flow':
            rule, source, sink = args.pop(0), args.pop(0), args.pop(0)
            found = [(s, e) for s, e in flows
                     if e['name'] == rule and s[0]['track'].startswith(source) and e['track'].startswith(sink)]
            if not found:
                sys.exit(f'no arrow {source} -> {sink} of {rule}; there are: ' + '; '.join(
                    f"{s[0]['track']} -> {e['track']} of {e['name']}" for s, e in flows))
            print(rule + ': ' + ' -> '.join(f"{e['track']} {e['name']} {e['time']}" for e in found[0][0] + [found[0][1]]))
        elif what == '--slice':
            text = args.pop(0)
            assert any(e['type'] == 1 and e['name'] and text in f"{e['track']}: {e['name']}" for e in timeline.events), \
                f'no slice "{text}" among ' + ', '.join(sorted({f"{e['track']}: {e['name']}" for e in timeline.events if e['type'] == 1}))
        elif what == '--only':
            track, name = args.pop(0), args.pop(0)
            on = {e['track'] for e in timeline.events if e['type'] == 1 and e['name'] == name}
            assert on == {track}, f'"{name}" is on {sorted(on)}, not on {track} alone'
        elif what == '--behind':
            text, name = args.pop(0), args.pop(0)
            behind = {e['behind'] for e in timeline.events if e['type'] == 1 and text in e['track']}
            assert name in behind, f'"{text}" waits behind {sorted(map(str, behind))}, not {name}'
        elif what == '--counter':
            text = args.pop(0)
            values = [e['value'] for e in timeline.events if e['type'] == 4 and text in e['track']]
            assert values and max(values) > 0, f'counter "{text}": {values[:5]}'
            assert {u for n, u in timeline.tracks.values() if n and text in n} <= {2, 3}
        else:
            sys.exit(f'unknown: {what}')


main()
