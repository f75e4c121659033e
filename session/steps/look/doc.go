// Package look has the steps that report on models without running them, except to load them:
// inspect, check, diff and report.
package look
