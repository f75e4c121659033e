// Package resume keeps a journal of the work, and offers to continue with what a lost connection left.
package resume
