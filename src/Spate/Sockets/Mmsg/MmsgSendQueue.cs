using Spate.Buffers;
using Spate.Segmentation;

namespace Spate.Sockets.Mmsg;

/// <summary>A send queue that also contains the message headers for sending its GSO messages.</summary>
internal sealed class MmsgSendQueue(in GsoLimits limits, int capacity, int bufferBytes)
    : SendQueue(limits, capacity, bufferBytes)
{
    public MmsgSendHeaders Headers { get; } = new();
}
