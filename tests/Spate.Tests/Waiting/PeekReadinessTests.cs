using System.Net;
using System.Net.Sockets;
using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>Readiness through a peek, which takes care of its own stack and time.</summary>
public sealed class PeekReadinessTests
{
    private const int AskCount = 100;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    [Fact]
    public void RequestLater_NothingThere_CallsAllTheSame()
    {
        using Socket socket = NewBound();
        using var called = new CountdownEvent(AskCount);
        using var asked = new AskAgain(socket, called, static (readiness, events) => readiness.RequestLater(events));

        asked.Readiness.RequestLater(ReadyEvents.Readable);

        Assert.True(called.Wait(Patience, TestContext.Current.CancellationToken));
        Assert.Equal(1, asked.MaxDepth);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Request_PeekEndsAtOnce_CallsOnAFreshStack(bool isDatagramThere)
    {
        using Socket socket = NewBound();
        if (isDatagramThere) socket.SendTo([1], socket.LocalEndPoint!);
        else socket.Dispose();
        using var called = new CountdownEvent(AskCount);
        using var asked = new AskAgain(socket, called, static (readiness, events) => readiness.Request(events));

        asked.Readiness.Request(ReadyEvents.Readable);

        Assert.True(called.Wait(Patience, TestContext.Current.CancellationToken));
        Assert.Equal(1, asked.MaxDepth);
    }

    private static Socket NewBound()
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    /// <summary>Asks again whenever it is called, and notes how deep the calls lie in each other.</summary>
    private sealed class AskAgain : IDisposable
    {
        private readonly ThreadLocal<int> _depth = new();
        private int _maxDepth;

        public AskAgain(Socket socket, CountdownEvent called, Action<PeekReadiness, ReadyEvents> ask)
        {
            Readiness = new PeekReadiness(socket, OnReady);

            void OnReady(ReadyEvents events)
            {
                _depth.Value++;
                if (_depth.Value > _maxDepth) _maxDepth = _depth.Value;
                if (!called.IsSet && !called.Signal()) ask(Readiness!, ReadyEvents.Readable);
                _depth.Value--;
            }
        }

        public PeekReadiness Readiness { get; }

        public int MaxDepth => Volatile.Read(ref _maxDepth);

        public void Dispose() => Readiness.Dispose();
    }
}
