using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Interop.Windows;

namespace Spate.Sockets.Winsock;

/// <summary>The end of all receives, and of their memory.</summary>
// SAFETY: as the other part says. Everything here runs under the lock.
internal sealed unsafe partial class ReceiveQueue<TCalls>
{
    private const int MaxEndMilliseconds = 1000;
    private const int SliceMilliseconds = 100;

    // Receives that the system did not end in time. Their memory stays the system's for as long as the process lives.
    private static readonly ConcurrentBag<object> Abandoned = [];

    /// <summary>
    /// After the end, the number of datagrams that were received and that no call has taken. The datagrams of a
    /// coalesced buffer count one by one.
    /// </summary>
    public int UnreadCount { get; private set; }

    /// <inheritdoc/>
    protected override bool ReleaseHandle()
    {
        lock (_lock)
        {
            _isOver = true;
            if (_messages != null) EndReceives();
            HandleApi.CloseHandle(handle);
            HandleApi.CloseHandle(_event);
            return true;
        }
    }

    private void EndReceives()
    {
        _calls.Cancel(_socket);
        bool haveEnded = TakeUntilEnded();

        // From now on the handle may be closed, which ends the receives too.
        _socketHandle.DangerousRelease();
        if (!haveEnded)
        {
            _socketHandle.Dispose();
            haveEnded = TakeUntilEnded();
        }

        if (!haveEnded)
        {
            Abandoned.Add(_buffers);
            return;
        }

        NativeMemory.AlignedFree(_messages);
        NativeMemory.Free((void*)_spill);
        _messages = null;
    }

    // Takes the packets of all receives. Returns false if the system does not end them in time.
    [SkipLocalsInit]
    private bool TakeUntilEnded()
    {
        OVERLAPPED_ENTRY* packets = stackalloc OVERLAPPED_ENTRY[_order.Length + SpareRoomCount];
        long start = Environment.TickCount64;
        while (true)
        {
            DropEnded();
            if (_orderCount == 0) return true;
            if (Environment.TickCount64 - start > MaxEndMilliseconds) return false;
            Record(packets, _calls.Dequeue(handle, packets, _order.Length + SpareRoomCount, SliceMilliseconds));
        }
    }

    private void DropEnded()
    {
        for (int place = 0; place < _orderCount;)
        {
            int index = _order[(_first + place) % _order.Length];
            if (!IsEnded(index))
            {
                place++;
                continue;
            }

            RemoveFromOrder(place);
            if (_ended[index].Error == 0 && !IsWakeUp(_messages + index, _ended[index].LengthBytes))
            {
                UnreadCount += DatagramCountOf(index);
            }
        }
    }

    private int DatagramCountOf(int index)
    {
        int lengthBytes = _ended[index].LengthBytes;
        int controlBytes = (int)Math.Min(
            _messages[index].Message.Control.len, (uint)Messages.ControlMessages.MaxReceivedBytes);
        int segmentBytes = _coalesces
            ? Messages.WinsockReceivedControl.SegmentBytes(new(&_messages[index].Control, controlBytes))
            : 0;
        return Segmentation.GroSplitter.Count(lengthBytes, segmentBytes);
    }
}
