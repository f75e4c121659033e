// Package search chooses a type for each unit of a model, so that the model becomes as small as
// possible and meets targets for its error.
//
// A unit is a node, or several nodes that share a weight. An assignment names one choice for each
// unit; choice 0 leaves it as it is. The package runs no model: it asks an oracle for the size and
// the errors of an assignment.
//
// The method assumes that noises add: the noise power that an assignment causes at an output is
// about the sum of what its choices cause alone. So it tries
//
//  1. the smallest choice of all units at once: if it meets the targets, the search ends;
//  2. a first guess, from estimates: choices in the order of bytes saved for each unit of noise, as
//     many of them as meet the targets, found by bisection;
//  3. each choice alone, the most bytes for the least estimated noise first;
//  4. assignments that are predicted to be smaller than the best known one and to meet the
//     targets. After each trial the predictions for similar assignments are corrected by the
//     ratio of what was measured to what was predicted;
//  5. some assignments that are smaller or larger than the best one, each with the least predicted
//     noise for its size, so that the front shows what another target would give.
//
// Step 4 ends if no assignment is left that is predicted to be smaller by a noticeable amount, or if many
// trials in a row found nothing better (patience). The sequence of trials depends on nothing but their
// outcomes. So a search whose oracle reads earlier outcomes from a Journal continues where it stopped,
// and ends with the same front.
package search
