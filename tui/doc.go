// Package tui is the workbench: the terminal program in which a person looks at
// a model, turns it and proves the result. It holds no logic that a recipe
// cannot reach: forms come from Step.Options, previews from Step.Preview,
// results from Step.Run.
//
// App is the one tea.Model. It routes: a key goes to the dialog on top, else to
// the focused pane, else to the App itself, and the key table says what the key
// means there. Panes share a workspace, which only Update's goroutine touches.
// Whatever is slow is a tea.Cmd on a snapshot, and its answer carries what it
// was asked for, so that a stale one is dropped. View writes nothing.
//
// Adding a pane is one file, with a type that implements pane and the panel that
// says where it stands and what its keys are, and one line in panels. Adding a
// dialog is one file and one line in dialogTables. For example:
//
//	var originPanel = panel{
//		place: placeOrigin, title: "origin", region: regionRight,
//		keys: movable(binding{actionWhole, "what the key m does", keys("m")}),
//		make: func(a *App) pane { return &originPane{ws: a.ws} },
//	}
//
// The layout, the titles, the digit that leads to the pane, help, palette, settings
// and the tests over all keys follow from that. A command of the main screen is a row
// in commands_main.go, and a column of the list is a row in columns.go.
//
// # A key press
//
// What happens when j is pressed in a list of 100,000 rows. Bubble Tea calls App.Update with a
// tea.KeyPressMsg, and update.go only routes:
//
//  1. The key table (keymap) says what the key means: in all places, in the dialog on top, in
//     the focused pane, or on the main screen. It is made from the tables of panes and dialogs
//     and from the user's settings. No other code names a key. If the answer of a filter is
//     still missing, keys wait for it (ahead.go), because on a slow line they would act on the
//     previous row.
//  2. perform asks for a reason why the action is impossible (refusal). The status line and the
//     palette show it. Otherwise the owner does the action; here nodesPane moves the window over
//     its list.
//  3. After every message, sync gives each pane its size and lets it prepare what it draws, if
//     that changed.
//  4. View joins what the panes draw. It changes nothing and draws only visible lines.
//
// Slow work is a tea.Cmd on a snapshot. Its message carries what was asked and is dropped if it
// is stale. A panic in such work becomes a message.
//
// # Where panes get their data
//
// Types come from one place (types.go): what package shape infers on the snapshot, in the
// background, kept for the last models so that undo shows it at once. Until it is there, the
// declared types show. Costs (costs.go) and the sizes that fit the symbols (pane_axes_sizes.go)
// work likewise.
//
// The tensor pane draws from a tensorSource: a constant of the file, or a value that a worker
// holds (session.Probe). It asks for a profile, a grid or a window, never for all elements. The
// equals key runs the model up to the selected row and holds the values in the worker
// (value_step.go). A lease ends that worker if none of its values was on the screen for two
// minutes.
//
// # The list of passes
//
// What happens after S:
//
//  1. simplifyDialog makes the step that the ticked passes mean and previews it on the snapshot,
//     after a short pause. A new tick makes a new question; only the last answer is used.
//  2. The report is the engine's own simplify.Report, whose changes name nodes of the unchanged
//     model. newPassesFound makes rows from it in the background.
//  3. passLines is a window over the passes and, for unfolded ones, their changes and near
//     misses. A line is made when it shows.
//  4. Leaving to a node highlights all nodes of the pass. The dialog is put aside and comes back
//     as it was while the model is the same. The a key runs the step as a job, with the proof
//     of the step.
//
// # A tick in the quantize dialog
//
// What happens after Q and Space on a node:
//
//  1. The dialog gives its settings and a copy of the ticks to a quantizeDrafting. In the
//     background it asks the step for a quant.Draft: the engine's own rewriting, which reads no
//     weight. The size of the result does not depend on the scales, so the draft's size is
//     exact, and its candidates are the nodes that would change. If ranges are missing, static
//     quantization supposes some and says so (Draft.Supposed).
//  2. A tick changes the count of ticked nodes for each weight at once. The saved size is shown
//     as "about" until a new draft has the exact one. Another tick cancels that draft.
//  3. Errors of weights are measured a few at a time. If that stops, it later continues where it
//     was.
//  4. The o key opens a spreadDialog: the profile of a weight, or the calibrate.Spread of an
//     activation with the range that each method would choose.
//  5. Enter runs the step with the lists of the last draft.
//
// # Slow lines
//
// pace.go sends pictures no faster than the terminal draws them. After some bytes it asks the
// terminal what it is. A terminal answers only after it has drawn everything before the
// question, and until then the last picture stays. Without that, a held key fills a slow line
// for seconds and the event loop waits with it. At 9,600 bytes/s, after a wheel had turned for
// 0.6 s, the screen took 2.9 s to settle. With pace.go it took 1.1 s, including 0.4 s for the
// delay of the line.
package tui
