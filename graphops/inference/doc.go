// Package inference makes an inference graph of a model that was exported in training
// mode: one that computes what the network computes in evaluation mode.
//
// A Dropout goes, with its ratio and its mode; who reads its mask gets true for every
// element. A BatchNormalization normalizes by its running statistics in place of those of
// the batch. The statistics that training updates stay what they are: who reads them gets
// those that go in, and outputs of the model that are such are dropped, with a warning.
// Nodes that train in another way, such as losses, are left alone.
package inference
