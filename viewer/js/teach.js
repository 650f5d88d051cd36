// SPDX-License-Identifier: MIT
// The page for teachers: an order for a course, the answers, and how to write a lesson.
'use strict';

const COURSES = [
    ['An hour for CUDA programmers', ['01_table1_pageable', '02_table1_device', '04_read_before_sync', '05_attachment', '06_two_streams', '16_copy_and_event', '25_race_in_kernel']],
    ['Caches and engines, for those who write drivers or share buffers', ['03_wait_is_no_clean', '07_missing_clean', '08_missing_invalidate', '09_invalidate_too_early', '10_invalidate_loses', '11_dla_past_l2', '14_false_sharing', '15_neighbour_sector', '26_sync_for_device', '27_igpu_to_dgpu']],
    ['Memory order, for those who write flags and queues', ['17_stores_overtake', '18_store_buffer', '19_release_acquire', '20_doorbell', '21_flag_to_kernel', '22_kernel_to_cpu', '23_scopes', '24_spin_in_l1']],
    ['What changes from TX2 to Orin to Thor', ['07_missing_clean', '12_one_way_coherency', '13_flag_pinned_data_interop', '03_wait_is_no_clean']],
];

const HOW = ['Take a litmus test of scenarios/litmus/, or write one (docs/litmus.md). `vtegra litmus FILE` checks it.',
    'Write viewer/lessons/NN_name.lesson: title, level, test, soc, predict, answer, and the sections question, step, change, learned. The question says what happens, never how it ends.',
    'A section "== cuda" puts a source in CUDA and C beside the picture. A comment //@ CPU0: STR #1,[x] behind a line names the operation for which the line is lit.',
    'Build the target "viewer". A mistake is named with file and line. viewer/README.md has an example and every key.'];

function answerShow(lesson) {
    const box = el('details', 'answer'), solution = lessonSolution(lesson);
    box.append(el('summary', '', lesson.title), el('p', '', lesson.question), el('p', 'mono', 'Predictions: ' + lesson.predicts.map(p => p.join(' ')).join(', ')),
        el('h4', '', 'A solution'), scrollBox('A solution of ' + lesson.title, el('pre', '', solution)), el('p', '', lesson.learned));
    return box;
}

function teachShow(body, lessons) {
    const heading = el('h2', '', 'For teachers'), order = el('section'), how = el('section'), answers = el('section'), list = el('ol');
    heading.tabIndex = -1;
    order.append(el('h3', '', 'Orders for a course'));
    COURSES.forEach(([name, names]) => {
        const links = el('ul', 'links');
        names.map(n => lessons.find(l => l.name === n)).filter(Boolean).forEach(l => {
            const item = el('li'), link = el('a', '', l.title);
            link.href = '#lesson&name=' + l.name;
            item.append(link);
            links.append(item);
        });
        order.append(el('h4', '', name), links);
    });
    order.append(el('p', '', 'Let the class predict aloud before the first step, with hands for each board: the picture is there from the beginning, the steps come with the last prediction. "Predict again" clears what a browser remembers of a lesson.'));
    how.append(el('h3', '', 'How to write a lesson'), list);
    HOW.forEach(text => list.append(el('li', '', text)));
    answers.append(el('h3', '', 'Answers'), ...lessons.map(answerShow));
    body.replaceChildren(heading, el('p', '', 'Each lesson is a question, a prediction for each board, steps, a change that the model checks, and a sentence to take away. The outcomes are computed in the page by the same code as vtegra litmus.'), order, how, answers);
}
