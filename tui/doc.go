// Package tui is the workbench: the terminal program in which a person looks at a model, changes
// it, and checks the result. It has no logic that a recipe cannot use: forms come from
// Step.Options, previews from Step.Preview, and results from Step.Run.
//
// App is the only tea.Model. It routes each key to the topmost dialog, or else to the focused pane,
// or else to itself. The key table says what the key means there. Panes share a workspace, which
// only the goroutine of Update uses. Slow work runs in the background on a snapshot: a task
// (task.Task) asks one question at a time and drops the answer to an earlier one. View changes
// nothing.
//
// A pane or dialog knows the screen around it only as a shell.Host. What it shows of a model is in
// packages graph and values, which know no screen, and what it shares with the others is in a
// workspace.Workspace.
//
// A new pane is one file and one line in panels. The file has a type that implements shell.Pane, and
// a workspace.Panel that gives its position and its actions. A new dialog is one file and one line
// in dialogTables. For example, in package origin:
//
//	func Panel() workspace.Panel {
//		type it = *Pane
//		return workspace.Panel{
//			Place: Place, Title: "origin", Region: shell.RegionRight,
//			Actions: actions.Moving(it.move, []actions.Row[it]{
//				actions.Now("whole-model", "what the key m does", actions.Keys("m"), it.toggleWhole, it.wholeRefusal),
//			}),
//			Make: func(ws *workspace.Workspace) shell.Pane { return &Pane{ws: ws} },
//		}
//	}
//
// An action is one row: the name that settings use, its help text, its keys, the method that performs
// it, and the methods that say why it is not possible at the moment.
//
// The layout, the titles, the digit for the pane, help, palette, settings and the tests of all keys
// follow from that. A command of the main screen is a row in commands_main.go, and a column of the
// list is a row in graph/columns.go.
//
// # A key press
//
// What happens when j is pressed in a list of 100,000 rows. Bubble Tea calls App.Update with a
// tea.KeyPressMsg, and update.go only routes:
//
//  1. The key table (actions.Keymap) says what the key means: in all places, in the topmost dialog, in the focused pane,
//     or on the main screen. It is made from the rows of panes and dialogs and from the user's settings. No other code names
//     a key. If a filter has not been answered yet, keys wait for it (ahead.go), because over a slow connection they would
//     act on the wrong row.
//  2. run asks the row for a reason why the action is not possible. The status line and the palette show it. Without a
//     reason, the method of the row carries out the action; here nodes.Pane moves the window over its list.
//  3. After every message, sync gives each pane its size and lets it prepare what it draws, if that changed.
//  4. View joins what the panes draw. It changes nothing and draws only visible lines.
//
// A panic in background work becomes an error.
//
// # Where panes get their data
//
// Types come from one place (graph.Typing): what package shape infers on the snapshot in the
// background. They are kept for the last models, so that undo shows them at once. Until they are
// known, the declared types are shown. Costs (graph.Costs) and the sizes that fit the symbols
// (graph.Fitting) work in the same way.
//
// The tensor pane draws from a values.TensorSource: a constant in the file, or a value in a worker
// (reporting.Probe). It asks for a profile, a grid or a window, and never for all elements. The
// equals key runs the model up to the selected row and keeps the values in the worker
// (values.Step). A lease ends that worker if none of its values was on screen for two minutes.
//
// # The list of passes
//
// What happens after S:
//
//  1. passes.Dialog makes the step for the selected passes and previews it on the snapshot, after a short pause. Another
//     selection starts a new preview; only the last answer is used.
//  2. The report is the engine's own simplify.Report, whose changes name nodes of the unchanged model. NewPassesFound makes
//     rows from it in the background.
//  3. passLines is a window over the passes and, for unfolded ones, their changes and near misses. A line is made when it
//     becomes visible.
//  4. Going to a node highlights all nodes of the pass. The dialog is kept and reopens in the same state as long as the
//     model is the same. The a key runs the step as a job, with the proof of the step.
//
// # A selection in the quantize dialog
//
// What happens after Q and Space on a node:
//
//  1. The dialog gives its settings and a copy of the selection to a quantizeDrafting. In the background that asks the step
//     for a quant.Draft: the engine's own rewriting, which reads no weights. The size of the result does not depend on the
//     scales, so the draft's size is exact, and its candidates are the nodes that would change. If ranges are missing, static
//     quantization assumes some and says so (Draft.Supposed).
//  2. The number of selected nodes for each weight changes at once. The saved size is shown as "about" until a new draft has
//     the exact one. Another change cancels that draft.
//  3. Errors of weights are measured a few at a time. If that is stopped, it can continue later.
//  4. The o key opens a precision.SpreadDialog: the profile of a weight, or the calibrate.Spread of an activation with the range that
//     each method would choose.
//  5. Enter runs the step with the lists of the last draft.
//
// # Slow connections
//
// pace.go sends frames no faster than the terminal draws them. After a number of bytes it asks the
// terminal for its type. A terminal answers only after it has drawn everything before the question.
// Until then, no further frame is sent. Otherwise a held key would fill a slow connection for
// seconds, and the event loop would block. At 9,600 bytes/s, after the wheel had turned for 0.6 s,
// the screen took 2.9 s to settle. With pace.go it took 1.1 s, including 0.4 s for the delay of the
// connection.
package tui
