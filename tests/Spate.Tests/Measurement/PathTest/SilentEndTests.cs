using System.Buffers.Binary;
using Spate.Measurement.Counting;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>
/// An end that falls silent while its socket stays open: the other one stops sending within 2 s (RFC 8085). All times
/// are those that the sender writes into its datagrams, so a machine that is busy delays nothing that is measured.
/// </summary>
public sealed class SilentEndTests
{
    private const long NanosecondsPerSecond = 1_000_000_000;
    private const long MaxSilence = 2 * NanosecondsPerSecond;

    // The sender has heard nothing for less than this when it sends on.
    private const long MinSilence = 17 * NanosecondsPerSecond / 10;
    private const int QuietMilliseconds = 1000;

    // What is asserted happens in the first 2 s. After that, time may fly until the silent end is given up.
    private const double SlowSeconds = 3;

    [Fact]
    public void Server_FallsSilent_ClientStopsSendingWithinTwoSeconds()
    {
        var sender = new RecordedSender();
        using var server = new HandMadeServer(ControlKind.Finish) { MaxHeartbeats = 1, OnDatagram = sender.Take };
        using TestClient client = TestClient.Connect(
            new TestClientOptions
            {
                Servers = [server.EndPoint],
                Parameters = new TestParameters { SizeBytes = 64, DatagramsPerSecond = 200, Seconds = 60 },
            },
            new FastTime(SlowSeconds), TestContext.Current.CancellationToken);

        TrafficException fault = Assert.Throws<TrafficException>(
            () => client.Run(cancellationToken: TestContext.Current.CancellationToken));

        Assert.Contains(" for 10 s: it has ended", fault.Message, StringComparison.Ordinal);
        server.Dispose();
        sender.AssertStoppedInTime();
    }

    [Fact]
    public void Client_FallsSilent_ServerStopsSendingWithinTwoSecondsAndForgetsIt()
    {
        var sender = new RecordedSender();
        using var server = new RunningServer(time: new FastTime(SlowSeconds));
        using var control = new HandMadeClient(server.EndPoint);
        using var flow = new HandMadeClient(server.EndPoint);
        ulong token = control.Start(
            flow,
            new TestParameters
            {
                Direction = TestDirection.Reverse,
                SizeBytes = 64,
                DatagramsPerSecond = 200,
                Seconds = 60,
            });
        control.Send(ControlMessage.Create(
            ControlKind.Heartbeat, token, new byte[Heartbeat.Bytes], nanoseconds: HandMadeServer.HeartbeatStamp));

        flow.Socket.ReceiveTimeout = QuietMilliseconds;
        while (flow.TryReceive() is { } data)
        {
            sender.Take(data);
        }

        control.Socket.ReceiveTimeout = QuietMilliseconds;
        while (control.TryReceive() is { } message)
        {
            sender.Take(message);
        }

        sender.AssertStoppedInTime();
        Assert.Equal(0, server.Server.ClientCount);
    }

    /// <summary>What a sender says of its own times.</summary>
    private sealed class RecordedSender
    {
        private const int EchoOffset = 0;
        private const int HeldOffset = sizeof(long);

        private readonly List<long> _beats = [];
        private long _heard;
        private long _lastSent;

        public void Take(byte[] payload)
        {
            if (ControlMessage.TryRead(payload, out ControlMessage message))
            {
                if (message.Kind == ControlKind.Heartbeat) TakeHeartbeat(message);
            }
            else if (TestDatagram.TryRead(payload, out TestDatagram data))
            {
                _lastSent = Math.Max(_lastSent, data.SentNanoseconds);
            }
        }

        /// <summary>
        /// The last datagram was sent 2 s after the other end's only heartbeat had arrived, at the latest. The sender's
        /// control has a heartbeat due every 20 ms then: where its own stamps show that it could not run, it gets the
        /// time that it did not have.
        /// </summary>
        public void AssertStoppedInTime()
        {
            Assert.NotEqual(0, _heard);
            _beats.Sort();
            int end = _beats.FindIndex(beat => beat > _heard + MaxSilence);
            long[] urgent = [.. _beats.Take(end + 1).Where(beat => beat > _heard + NanosecondsPerSecond)];
            long paused = urgent.Zip(urgent.Skip(1), static (one, next) => next - one).Max();
            TestContext.Current.TestOutputHelper?.WriteLine(
                $"sent until {(_lastSent - _heard) / 1e9:0.000} s after feedback, paused for {paused / 1e9:0.000} s");
            Assert.InRange(_lastSent - _heard, MinSilence, MaxSilence + paused);
        }

        private void TakeHeartbeat(in ControlMessage beat)
        {
            long echo = BinaryPrimitives.ReadInt64BigEndian(beat.Body[EchoOffset..]);
            long held = BinaryPrimitives.ReadInt64BigEndian(beat.Body[HeldOffset..]);
            if (echo != HandMadeServer.HeartbeatStamp) return;

            if (_heard == 0) _heard = beat.Nanoseconds - held;
            _beats.Add(beat.Nanoseconds);
        }
    }
}
