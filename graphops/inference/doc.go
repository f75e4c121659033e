// Package inference turns a model that was exported in training mode into an inference graph, which
// computes what the network computes in evaluation mode.
//
// A Dropout is removed, with its ratio and mode; readers of its mask get true for each element. A
// BatchNormalization uses its running statistics instead of those of the batch. The updated
// statistics that it outputs during training are replaced by its inputs; if they are outputs of the
// model, these outputs are removed, with a warning. Nodes with other behaviour in training, such as
// losses, are not changed.
package inference
