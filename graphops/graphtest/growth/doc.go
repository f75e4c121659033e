// Package growth makes models that have very many of one thing: axes, imports, functions, nodes.
// No healthy model has 100,000 of them, so work that grows with the square of them stays unseen until
// somebody makes such a model on purpose. [Bombs] is the list of what models can have many of, and
// [Series] measures how time grows. Only tests import this package.
package growth
