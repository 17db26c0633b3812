using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;
using Spate.Gateway;
using Spate.Gateway.Publishing.Rabbit;

namespace Spate.Tests.Gateway;

/// <summary>What a reader says without a broker.</summary>
public sealed class GatewayReaderTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ReadAsync_CancelledBeforeABrokerIsReached_IsInterrupted(bool follows)
    {
        var options = new GatewayReaderOptions
        {
            Target = GatewayTarget.Parse("amqp://127.0.0.1:1"),
            Credentials = new GatewayCredentials("guest", "guest"),
            StreamName = "s",
            Follow = follows,
        };

        GatewayFindings findings = await GatewayReader.ReadAsync(options, visit: null, new CancellationToken(true));

        Assert.True(findings.IsInterrupted);
        Assert.False(findings.IsComplete);
    }

    [Theory]
    [InlineData(406, "PRECONDITION_FAILED - stream queue 's' does not have a replica on the local node", false)]
    [InlineData(406, "PRECONDITION_FAILED - inequivalent arg 'x-max-length-bytes'", true)]
    [InlineData(404, "NOT_FOUND - no queue 's' in vhost '/'", true)]
    public void OfQueue_WhatAnotherHostMayHave_IsNoRefusal(int code, string text, bool isRefusal)
    {
        var fault = new OperationInterruptedException(
            new ShutdownEventArgs(ShutdownInitiator.Peer, (ushort)code, text));

        Assert.Equal(isRefusal, RabbitFaults.OfQueue(fault, "s", GatewayQueueKind.Stream, isDeclared: false).IsRefusal);
    }
}
