// Package paths completes the names of files. It reads a folder in pieces and within limits, because a
// folder may be slow or very large, and it knows no screen.
package paths
