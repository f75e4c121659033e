// Choosing tokens on the device of a model. A second session, whose model is a few nodes, reads the
// scores where they are. Only the numbers of the tokens come to the host.
#ifndef LATHE_CHOOSE_H
#define LATHE_CHOOSE_H

#include "api.h"

struct chooser;

// The names of the input and the outputs of a chooser's model. Both outputs have one token for each
// sequence: "tokens" as int32, "ids" as the model that generates takes them.
#define CHOOSER_SCORES "scores"
#define CHOOSER_TOKENS "tokens"
#define CHOOSER_IDS "ids"

// chooser_new returns a chooser that runs a session. Its ids are of the given type and shape, in memory
// that allocator gives. The session and the allocator have to be there as long as the chooser is.
OrtStatus *chooser_new(OrtSession *session, const OrtMemoryInfo *host, OrtAllocator *allocator,
                       ONNXTensorElementDataType type, const int64_t *dims, size_t rank, int64_t batch, struct chooser **out);

// chooser_free releases a chooser. NULL is allowed.
void chooser_free(struct chooser *c);

// chooser_run chooses the token with the best score for each sequence. tokens has room for all.
OrtStatus *chooser_run(struct chooser *c, const OrtRunOptions *options, const OrtValue *scores, int64_t *tokens);

// chooser_ids returns the tokens of the last chooser_run on the device.
const OrtValue *chooser_ids(const struct chooser *c);

#endif
