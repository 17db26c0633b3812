using Spate.Buffers;
using Spate.Segmentation;

namespace Spate.Sockets.Mmsg;

/// <summary>A queue with the message headers that its GSO messages leave by.</summary>
internal sealed class MmsgSendQueue(in GsoLimits limits, int capacity, int bufferBytes)
    : SendQueue(limits, capacity, bufferBytes)
{
    public MmsgSendHeaders Headers { get; } = new();
}
