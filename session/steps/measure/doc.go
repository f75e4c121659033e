// Package measure has the steps that run a model: run-model, bench and profile.
package measure
