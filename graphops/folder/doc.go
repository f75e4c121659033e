// Package folder opens a folder that holds the models of one pipeline, such as an encoder and a
// decoder, and finds the wires between them: which output of one model is which input of another.
// It reads no weights and runs nothing.
//
// # Evidence
//
// Which files are members, and what each one does, comes from the configuration of the folder
// (genai_config.json, model_index.json), otherwise from file names. A wire comes from the strongest
// of: the configuration, the structure of one model (its own cache, see package roles), names that
// agree while types fit, and types alone. What the evidence does not show is in Wire.Assumed. An
// input that nothing explains is unknown: nothing is assumed silently.
//
// # How it works
//
// layouts.go is the table of known layouts, and files.go that of file names. genai.go and
// diffusers.go read configurations. rules.go is the table of ports whose names differ although one
// feeds the other, and of what a pipeline does in between, such as a scheduler. search.go applies
// the rules to every input.
//
// # Limits
//
// Configurations are hostile: config.go bounds their size and depth, and refuses paths that leave
// the folder. Only the folder and its subfolders are searched, at most maxFiles files. What was not
// searched is in Folder.Limits. Names are raw text, which callers must clean before they print it.
package folder
