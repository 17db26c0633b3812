using Spate.Buffers;
using Spate.Trains;

namespace Spate.Sockets.Mmsg;

/// <summary>A queue with the message headers that its trains leave by.</summary>
internal sealed class MmsgSendQueue(in TrainLimits limits, int capacity, int bufferBytes)
    : SendQueue(limits, capacity, bufferBytes)
{
    public MmsgSendHeaders Headers { get; } = new();
}
