// Package flags has the options that several steps share: where models run, what inputs they get,
// where the made model is written, and whether the result is stored. A step embeds what it needs
// and returns its options with its own.
package flags
