using System.Net;
using System.Net.Sockets;
using Spate.Interop.Windows;
using Spate.Sockets;
using Spate.Sockets.Winsock;

namespace Spate.Tests.Sockets.Winsock;

/// <summary>
/// Which receives fail and how; shared by the struct copies of <see cref="FaultyReceiveCalls"/>.
/// </summary>
internal sealed class ReceiveSchedule
{
    /// <summary>The posts at whose numbers, from 1 on, something fails; 0 for none.</summary>
    public int Every { get; set; }

    /// <summary>The code of the failure.</summary>
    public int Error { get; set; }

    /// <summary>Whether the receive is posted and ends with the error, or is not posted.</summary>
    public bool FailsAtItsEnd { get; set; }

    /// <summary>The most failures.</summary>
    public int MaxCount { get; set; } = int.MaxValue;

    /// <summary>Changes a packet before it is handed over.</summary>
    public Action<OVERLAPPED_ENTRY[]> OnPackets { get; set; } = static _ => { };

    public int PostCount { get; set; }

    public int FailedCount { get; set; }

    /// <summary>The addresses of receives that are to end with the error.</summary>
    public Queue<nint> ToEnd { get; } = new();

    public HashSet<nint> EndedSo { get; } = [];
}

/// <summary>The real system calls, but for receives that the schedule lets fail without being made.</summary>
internal readonly unsafe struct FaultyReceiveCalls(ReceiveSchedule faults) : IWinsockCalls
{
    private static WinsockCalls Real => default;

    public int Receive(nint function, nint socket, WSAMSG* message, uint* receivedBytes, OVERLAPPED* overlapped)
    {
        bool fails = faults.Every > 0 && ++faults.PostCount % faults.Every == 0 && faults.FailedCount < faults.MaxCount;
        if (!fails) return Real.Receive(function, socket, message, receivedBytes, overlapped);
        faults.FailedCount++;
        if (!faults.FailsAtItsEnd) return faults.Error;

        // As the system does it. The error is met at the next look into the port.
        overlapped->Internal = 1;
        lock (faults.ToEnd) faults.ToEnd.Enqueue((nint)overlapped);
        return WinSock2.WSA_IO_PENDING;
    }

    public int ErrorOf(nint socket, OVERLAPPED* overlapped) =>
        faults.EndedSo.Remove((nint)overlapped) ? faults.Error : Real.ErrorOf(socket, overlapped);

    public int Dequeue(nint port, OVERLAPPED_ENTRY* packets, int roomCount, int timeoutMilliseconds)
    {
        lock (faults.ToEnd)
        {
            if (faults.ToEnd.TryDequeue(out nint overlapped))
            {
                faults.EndedSo.Add(overlapped);
                packets[0] = new OVERLAPPED_ENTRY { lpOverlapped = (OVERLAPPED*)overlapped, Internal = 1 };
                return 1;
            }
        }

        int count = Real.Dequeue(port, packets, roomCount, timeoutMilliseconds);
        OVERLAPPED_ENTRY[] changed = new ReadOnlySpan<OVERLAPPED_ENTRY>(packets, count).ToArray();
        faults.OnPackets(changed);
        changed.CopyTo(new Span<OVERLAPPED_ENTRY>(packets, count));
        return count;
    }

    public void Post(nint port) => Real.Post(port);

    public void Cancel(nint socket) => Real.Cancel(socket);
}

/// <summary>A socket over the real Winsock backend whose receives fail as scheduled.</summary>
internal sealed class WinsockTestSocket : IDisposable
{
    public WinsockTestSocket(ReceiveSchedule? faults = null, bool coalesces = false, UdpSocketOptions? options = null)
    {
        RequireWinsock();
        options ??= new UdpSocketOptions();
        Socket socket = SocketSetup.Open(AddressFamily.InterNetwork, options);
        SocketSetup.Apply(socket, options);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(socket, options, default);
        Receiver = WinsockReceiver<FaultyReceiveCalls>.Open(
            context, coalesces, new FaultyReceiveCalls(faults ?? new ReceiveSchedule()));
        WinsockSender<WinsockSendCalls> sender = new(context, maxSegmentCount: 1, takesTrafficClass: false, default);
        Socket = new UdpSocket(context, new BackendPair(UdpBackend.Winsock, Receiver, sender));
    }

    public UdpSocket Socket { get; }

    public WinsockReceiver<FaultyReceiveCalls> Receiver { get; }

    public static void RequireWinsock()
    {
        UdpCapability winsock = UdpCapabilities.Current.Winsock;
        Assert.SkipUnless(winsock.IsAvailable, winsock.Reason);
    }

    public void Dispose() => Socket.Dispose();
}
