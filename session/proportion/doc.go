// Package proportion has the statistics of things that are right or wrong: how sure a share of right
// ones is, and whether two shares that were counted on the same things differ.
package proportion
