using System.Diagnostics;

namespace Spate.Tests.Contracts;

public abstract partial class DatagramContract
{
    /// <summary>
    /// The loopback keeps no time: what counts is that the kernel takes it, for GSO messages and for single datagrams.
    /// </summary>
    [Theory, MemberData(nameof(RoutesAndForms))]
    public async Task SendControl_TransmitTime_IsTakenAndTheDatagramsArrive(Route route, Form form)
    {
        if (route != Route.IPv4) RequireIPv6();
        UdpSocketOptions options = Options() with { EnableTransmitTimes = true };
        if (!IsOfLinux)
        {
            Assert.Throws<PlatformNotSupportedException>(() => BindLoopback(options));
            return;
        }

        UdpSocket sender = Bind(route == Route.IPv4 ? UdpEndPoint.Any(0) : UdpEndPoint.IPv6Any(0), options);
        UdpSocket receiver = Bind(route == Route.IPv6 ? UdpEndPoint.IPv6Loopback(0) : UdpEndPoint.Loopback(0));
        using SendBatch batch = sender.CreateSendBatch();
        long now = Stopwatch.GetTimestamp();
        long?[] times = [now, now, now, null, now + 1, now + 1, 1];
        for (int i = 0; i < times.Length; i++)
        {
            SendControl control = new()
            {
                TransmitTimeMonotonicNanoseconds = times[i],
                TrafficClass = i == 6 ? 4 : null,
            };
            Assert.True(batch.TryReserve(receiver.LocalEndPoint, control, 50, out Span<byte> payload));
            payload.Fill((byte)i);
        }

        Assert.Equal(times.Length, sender.Send(batch).Sent);
        List<byte[]> received = await ReceivePayloadsAsync(form, receiver, times.Length);
        Assert.Equal([0, 1, 2, 3, 4, 5, 6], received.Select(static payload => payload[0]));
    }

    [Fact]
    public void Send_TransmitTimeWithoutTheOption_IsRefusedBeforeAnythingLeaves()
    {
        if (!IsOfLinux) return;
        UdpSocket socket = BindLoopback();
        using SendBatch batch = socket.CreateSendBatch();
        Assert.True(batch.TryAdd([1], socket.LocalEndPoint));
        SendControl control = new() { TransmitTimeMonotonicNanoseconds = 5 };
        Assert.True(batch.TryReserve(socket.LocalEndPoint, control, 1, out _));

        InvalidOperationException fault = Assert.Throws<InvalidOperationException>(() => socket.Send(batch));

        Assert.Contains("EnableTransmitTimes", fault.Message, StringComparison.Ordinal);
        Assert.Equal(0, socket.GetCounters().DatagramsSent);
        batch.Clear();
        Assert.True(batch.TryAdd([2], socket.LocalEndPoint));
        Assert.Equal(1, socket.Send(batch).Sent);
    }

    [Theory]
    [InlineData(0L)]
    [InlineData(-1L)]
    [InlineData(long.MinValue)]
    public void SendControl_ImpossibleTransmitTime_IsAnArgumentError(long time)
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new SendControl { TransmitTimeMonotonicNanoseconds = time });
        Assert.Null(default(SendControl).TransmitTimeMonotonicNanoseconds);
        Assert.NotEqual(default, new SendControl { TransmitTimeMonotonicNanoseconds = 1 });
    }
}
