using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>Sending and receiving in every form.</summary>
public abstract partial class DatagramContract
{
    private const int LargeBytes = 65_535;

    private async Task<SendResult> SendAllAsync(Form form, UdpSocket socket, IEnumerable<Outgoing> datagrams)
    {
        SendResult total = default;
        using SendBatch batch = socket.CreateSendBatch();
        foreach (Outgoing datagram in datagrams)
        {
            if (form.IsOne())
            {
                total = Sum(total, await SendOneAsync(form, socket, datagram));
                continue;
            }

            if (batch.TryAdd(datagram.Payload, datagram.Peer)) continue;
            total = Sum(total, await SendBatchAsync(form, socket, batch));
            Assert.True(batch.TryAdd(datagram.Payload, datagram.Peer));
        }

        return batch.Count == 0 ? total : Sum(total, await SendBatchAsync(form, socket, batch));
    }

    /// <summary>Sends payloads that must all be accepted.</summary>
    private async Task SendPayloadsAsync(Form form, UdpSocket socket, UdpEndPoint peer, params byte[][] payloads)
    {
        SendResult result = await SendAllAsync(form, socket, payloads.To(peer));
        Assert.Equal(new SendResult(payloads.Length, 0, 0, SocketError.Success, SendStatus.Done), result);
        Assert.True(result.AllSent);
    }

    private static void SendNow(UdpSocket socket, UdpEndPoint peer, params byte[][] payloads)
    {
        foreach (byte[] payload in payloads) Assert.Equal(1, socket.SendTo(payload, peer).Sent);
    }

    private async ValueTask<SendResult> SendBatchAsync(Form form, UdpSocket socket, SendBatch batch) => form switch
    {
        Form.Batch => socket.Send(batch),
        Form.BatchTimed => socket.Send(batch, Limit),
        Form.BatchTry => socket.TrySend(batch),
        _ => await socket.SendAsync(batch, Stop),
    };

    private async ValueTask<SendResult> SendOneAsync(Form form, UdpSocket socket, Outgoing datagram) => form switch
    {
        Form.One or Form.OneTimed => socket.SendTo(datagram.Payload, datagram.Peer),
        Form.OneTry => socket.TrySendTo(datagram.Payload, datagram.Peer),
        _ => await socket.SendToAsync(datagram.Payload, datagram.Peer, Stop),
    };

    /// <summary>Receives until so many have come, and fails where more do.</summary>
    private async Task<List<Incoming>> ReceiveAllAsync(
        Form form, UdpSocket socket, int count, int slotBytes = LargeBytes, int? slotCount = null)
    {
        List<Incoming> received = [];
        using ReceiveBatch batch = socket.CreateReceiveBatch(new() { SlotBytes = slotBytes, SlotCount = slotCount });
        byte[] buffer = new byte[slotBytes];
        while (received.Count < count)
        {
            if (form.IsOne()) received.Add(await ReceiveOneAsync(form, socket, buffer));
            else received.AddRange(await ReceiveBatchAsync(form, socket, batch));
        }

        Assert.Equal(count, received.Count);
        return received;
    }

    private async Task<List<byte[]>> ReceivePayloadsAsync(Form form, UdpSocket socket, int count) =>
        [.. (await ReceiveAllAsync(form, socket, count)).Select(datagram => datagram.Payload)];

    private async ValueTask<List<Incoming>> ReceiveBatchAsync(Form form, UdpSocket socket, ReceiveBatch batch)
    {
        Assert.Equal(ReceiveStatus.Received, await TakeBatchAsync(form, socket, batch));
        return Copy(batch);
    }

    private async ValueTask<ReceiveStatus> TakeBatchAsync(Form form, UdpSocket socket, ReceiveBatch batch)
    {
        if (form == Form.Batch) return socket.Receive(batch);
        if (form == Form.BatchTimed) return socket.Receive(batch, Limit);
        if (form == Form.BatchAsync) return await socket.ReceiveAsync(batch, CancellationToken.None);
        ReceiveStatus status = ReceiveStatus.None;
        Eventually(() => (status = socket.TryReceive(batch)) != ReceiveStatus.Empty, "something came");
        return status;
    }

    private async ValueTask<Incoming> ReceiveOneAsync(Form form, UdpSocket socket, byte[] buffer)
    {
        (ReceiveStatus status, ReceivedDatagram datagram) = await TakeOneAsync(form, socket, buffer);
        Assert.Equal(ReceiveStatus.Received, status);
        return Incoming.From(datagram, buffer);
    }

    private async ValueTask<(ReceiveStatus Status, ReceivedDatagram Datagram)> TakeOneAsync(
        Form form, UdpSocket socket, byte[] buffer)
    {
        ReceivedDatagram datagram = default;
        if (form == Form.One) return (socket.ReceiveFrom(buffer, out datagram), datagram);
        if (form == Form.OneTimed) return (socket.ReceiveFrom(buffer, Limit, out datagram), datagram);
        if (form == Form.OneAsync)
        {
            return (ReceiveStatus.Received, await socket.ReceiveFromAsync(buffer, CancellationToken.None));
        }
        ReceiveStatus status = ReceiveStatus.None;
        Eventually(
            () => (status = socket.TryReceiveFrom(buffer, out datagram)) != ReceiveStatus.Empty, "a datagram came");
        return (status, datagram);
    }

    private static List<Incoming> Copy(ReceiveBatch batch)
    {
        List<Incoming> copies = [];
        foreach (Datagram datagram in batch) copies.Add(Incoming.From(datagram));
        Assert.Equal(batch.Count, copies.Count);
        return copies;
    }

    private static SendResult Sum(in SendResult first, in SendResult second) => new(
        first.Sent + second.Sent,
        first.Refused + second.Refused,
        second.Remaining,
        first.FirstError != SocketError.Success ? first.FirstError : second.FirstError,
        second.Status);
}
