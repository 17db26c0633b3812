using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>
/// When a sender reads the counters of its host: after the receiver's drain period. Datagrams to a closed port, which
/// NoPorts counts, tell the moments apart.
/// </summary>
public sealed class SenderCountersTests
{
    private const int Count = 5000;

    [Fact]
    public void Client_LossMakesTheServerDrain_ReadsItsCountersAfterTheServer()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the counters are Linux's");
        using var server = new RunningServer();
        using var stop = new CancellationTokenSource();
        var others = new Thread(() =>
        {
            while (!stop.Token.WaitHandle.WaitOne(1)) SendToNobody(1);
        });
        others.Start();

        TestReport report = RunningServer.Run(server.Options(30_000).Asking(test =>
        {
            test.SizeBytes = 1380;
            test.DatagramsPerSecond = null;
            test.BufferBytes = 4096;
            test.CoalescedReceive = false;
            test.SegmentedSend = false;
        }));
        stop.Cancel();
        others.Join();

        // Both ends count in one namespace, and the client begins before the server does.
        Assert.InRange(report.Directions[0].Lost, 1, long.MaxValue);
        Assert.InRange(NoPorts(report.Local), NoPorts(report.Remote), long.MaxValue);
    }

    [Fact]
    public void Server_ClientHasDrained_HasTheCountersOfThatMoment()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the counters are Linux's");
        using var server = new RunningServer();
        using var control = new HandMadeClient(server.EndPoint);
        ulong token = control.Begin(new TestParameters { Direction = TestDirection.Reverse, DatagramCount = 10 });
        using var flow = new HandMadeClient(server.EndPoint);
        flow.Send(flow.Join(flow.Cookie(), token, 0));
        Assert.NotNull(flow.TryReceive());
        control.Send(ControlMessage.Create(ControlKind.Start, token, []));
        _ = Await(control, ControlKind.Finish);
        control.Send(ControlMessage.Create(ControlKind.FinishAcknowledged, token, []));
        SendToNobody(Count);

        Assert.InRange(NoPorts(Fetch(control, token)), Count, long.MaxValue);
    }

    private static long NoPorts(TestEndReport report) => report.Host!.Counters!.Udp4.NoPorts!.Value;

    private static void SendToNobody(int count)
    {
        using var closed = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        closed.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        EndPoint nobody = closed.LocalEndPoint!;
        closed.Dispose();
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        for (int i = 0; i < count; i++)
        {
            socket.SendTo([1], nobody);
        }
    }

    private static TestEndReport Fetch(HandMadeClient control, ulong token)
    {
        byte[] count = new byte[sizeof(int)];
        BinaryPrimitives.WriteInt32BigEndian(count, ReportParts.MaxPartsPerFetch);
        control.Send(ControlMessage.Create(ControlKind.Fetch, token, count));
        byte[] report = [];
        for (int part = 0; part == 0 || part < ReportParts.CountOf(report.Length); part++)
        {
            Assert.True(ControlMessage.TryRead(Await(control, ControlKind.Part), out ControlMessage message));
            if (part == 0) report = new byte[BinaryPrimitives.ReadInt32BigEndian(message.Body)];
            message.Body[sizeof(int)..].CopyTo(report.AsSpan((int)message.Number * ReportParts.PartBytes));
        }

        control.Send(ControlMessage.Create(ControlKind.Bye, token, []));
        return JsonSerializer.Deserialize(report, SessionJson.Default.TestEndReport)!;
    }

    private static byte[] Await(HandMadeClient control, ControlKind kind)
    {
        while (true)
        {
            byte[] datagram = Assert.IsType<byte[]>(control.TryReceive());
            if (ControlMessage.TryRead(datagram, out ControlMessage message) && message.Kind == kind) return datagram;
        }
    }
}
