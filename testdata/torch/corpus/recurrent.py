"""Recurrent layers, with states that are given, kept or thrown away, and loops over time."""

import torch
from free import module, program
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


@program("x:0=batch", "x:1=seq")
def lstm_two_layers_both_ways():
    def forward(self, x):
        return self.lstm(x)

    return module(forward, lstm=nn.LSTM(4, 5, 2, batch_first=True, bidirectional=True)), (torch.randn(2, 3, 4),)


@program("x:1=batch", "state.0:1=batch", "state.1:1=batch")
def lstm_with_state():
    def forward(self, x, state):
        out, (h, c) = self.lstm(x, state)
        return out, h, c

    return module(forward, lstm=nn.LSTM(4, 5)), (torch.randn(3, 2, 4), (torch.randn(1, 2, 5), torch.randn(1, 2, 5)))


@program("x:0=batch")
def lstm_projected():
    def forward(self, x):
        return self.lstm(x)[0]

    return module(forward, lstm=nn.LSTM(4, 6, proj_size=3, batch_first=True)), (torch.randn(2, 3, 4),)


@program("x:0=batch", "x:1=seq")
def lstm_without_bias():
    def forward(self, x):
        return self.lstm(x)[1][0]

    return module(forward, lstm=nn.LSTM(4, 5, bias=False, batch_first=True)), (torch.randn(2, 3, 4),)


@program("x:0=seq")
def lstm_unbatched():
    def forward(self, x):
        return self.lstm(x)[0]

    return module(forward, lstm=nn.LSTM(4, 5)), (torch.randn(3, 4),)


@program("x:0=batch", "x:1=seq")
def gru():
    def forward(self, x):
        out, h = self.gru(x)
        return out[:, -1] - h[0]

    return module(forward, gru=nn.GRU(4, 5, batch_first=True)), (torch.randn(2, 3, 4),)


@program("x:0=batch", "h:1=batch")
def gru_layers_with_state():
    def forward(self, x, h):
        return self.gru(x, h)

    return module(forward, gru=nn.GRU(4, 5, 3, batch_first=True)), (torch.randn(2, 3, 4), torch.randn(3, 2, 5))


@program("x:0=batch", "x:1=seq")
def rnn_relu_both_ways():
    def forward(self, x):
        return self.rnn(x)

    return module(forward, rnn=nn.RNN(4, 5, nonlinearity="relu", bidirectional=True, batch_first=True)), (torch.randn(2, 3, 4),)


@program("x:0=batch", "h:0=batch", "c:0=batch")
def lstm_cell():
    def forward(self, x, h, c):
        return self.cell(x, (h, c))

    return module(forward, cell=nn.LSTMCell(4, 5)), (torch.randn(2, 4), torch.randn(2, 5), torch.randn(2, 5))


@program("x:0=batch")
def cell_in_a_loop():
    """A loop of a fixed number of steps."""

    def forward(self, x):
        h = torch.zeros(x.shape[0], 5)
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
        return h

    return module(forward, cell=nn.GRUCell(4, 5)), (torch.randn(2, 3, 4),)


@program("x:0=batch", "x:1=seq")
def cell_in_a_free_loop():
    """A loop of as many steps as there are, which exporters lay out at the length of the example."""

    def forward(self, x):
        h = torch.zeros(x.shape[0], 5)
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
        return h

    return module(forward, cell=nn.RNNCell(4, 5)), (torch.randn(2, 3, 4),)


@program("x:0=batch", "lengths:0=batch")
def packed():
    """Lengths that differ, packed and padded again."""

    def forward(self, x, lengths):
        out, _ = self.lstm(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
        return pad_packed_sequence(out, batch_first=True, total_length=5)[0]

    return module(forward, lstm=nn.LSTM(4, 5, batch_first=True)), (torch.randn(3, 5, 4), torch.tensor([5, 2, 3]))


@program("x:0=batch", "lengths:0=batch")
def last_by_length():
    def forward(self, x, lengths):
        out, _ = self.gru(x)
        return out[torch.arange(x.shape[0]), lengths - 1]

    return module(forward, gru=nn.GRU(4, 5, batch_first=True)), (torch.randn(3, 5, 4), torch.tensor([5, 2, 3]))


@program("x:0=batch")
def state_learned():
    """The first state is a parameter, spread over the batch."""

    def forward(self, x):
        return self.gru(x, self.first.expand(-1, x.shape[0], -1).contiguous())[0]

    return module(forward, gru=nn.GRU(4, 5, batch_first=True), first=nn.Parameter(torch.randn(1, 1, 5))), (torch.randn(2, 3, 4),)


@program("x:0=batch")
def state_carried():
    """The state of one call is where the next begins: a model does what the first call does."""

    def forward(self, x):
        out, self.h = self.gru(x, self.h)
        return out

    return module(forward, gru=nn.GRU(4, 5, batch_first=True), h=None), (torch.randn(2, 3, 4),)


@program("x:0=batch", "x:1=seq")
def decay():
    """A recurrence written as a product of powers."""

    def forward(self, x):
        t = torch.arange(x.shape[1])
        weights = torch.tril(0.9 ** (t[:, None] - t[None, :]).float())
        return torch.einsum("ts,bsd->btd", weights, x)

    return module(forward), (torch.randn(2, 5, 3),)


@program("x:0=batch")
def unbound():
    def forward(self, x):
        h = x.new_zeros(x.shape[0], 4)
        out = []
        for step in x.unbind(1):
            h = torch.tanh(self.fc(step) + h * 0.5)
            out.append(h)
        return torch.stack(out, 1), h

    return module(forward, fc=nn.Linear(4, 4)), (torch.randn(2, 3, 4),)


@program("x:0=batch")
def greedy():
    """Feeds its own choice back, for a fixed number of steps."""

    def forward(self, x):
        h, said = x, []
        for _ in range(4):
            word = self.head(h).argmax(-1)
            said.append(word)
            h = self.cell(self.words(word), h)
        return torch.stack(said, 1), h

    return module(forward, cell=nn.GRUCell(4, 6), head=nn.Linear(6, 9), words=nn.Embedding(9, 4)), (torch.randn(2, 6),)
