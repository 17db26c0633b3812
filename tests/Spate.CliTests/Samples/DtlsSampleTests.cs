namespace Spate.CliTests.Samples;

/// <summary>The transport for DTLS: records go through a session's blocking methods and back.</summary>
public sealed class DtlsSampleTests
{
    private const int MaxRecordBytes = 1452;
    private const byte Alert = 21;
    private const byte Handshake = 22;
    private const byte Data = 23;

    [Fact]
    public async Task Records_OfASession_ComeBackAlsoAfterAnAttack()
    {
        await using RunningSample sample = await RunningSample.StartAsync("DtlsAdapter");
        using var stranger = new SampleClient(sample.EndPoint);
        using var client = new SampleClient(sample.EndPoint);

        // Data before a handshake opens no session.
        await stranger.SendAsync(Record(Data, 1));
        await EchoAsync(client, Record(Handshake, 2));
        await EchoAsync(client, Record(Data, 3));
        await sample.AttackAsync(RandomCase.Create(), Record(Handshake, 4), Record(Data, 5));
        await EchoAsync(client, Record(Data, 6));

        using var none = new CancellationTokenSource();
        Task<byte[]> unexpected = stranger.ReceiveAsync(none.Token);
        Assert.Matches(@"^\d+ handled, [1-9]\d* answered\n$", await sample.EndAsync());
        Assert.False(unexpected.IsCompletedSuccessfully);
        await none.CancelAsync();
    }

    [Fact]
    public async Task Record_LongerThanAPacket_IsDropped()
    {
        TestWidth.SkipUnlessLong(RunningSample.WholeProgram);
        await using RunningSample sample = await RunningSample.StartAsync("DtlsAdapter");
        using var client = new SampleClient(sample.EndPoint);
        await EchoAsync(client, Record(Handshake, 1));

        // The sample takes and answers the records of a connection in their order.
        await client.SendAsync([.. Record(Data, 2), .. new byte[MaxRecordBytes]]);
        byte[] fitting = [.. Record(Data, 3), .. new byte[MaxRecordBytes]];
        byte[] first = await client.AskAsync(fitting[..MaxRecordBytes], static answer => answer[0] == Data);

        Assert.Equal(fitting[..MaxRecordBytes], first);
    }

    [Fact]
    public async Task Connection_EndedByAnAlert_LeavesItsPlaceAtOnce()
    {
        TestWidth.SkipUnlessLong(RunningSample.WholeProgram);
        await using RunningSample sample = await RunningSample.StartAsync("DtlsAdapter");
        using var client = new SampleClient(sample.EndPoint);
        await EchoAsync(client, Record(Handshake, 1));

        await client.SendAsync(Record(Alert, 2));

        await EchoAsync(client, Record(Handshake, 3));
    }

    private static Task<byte[]> EchoAsync(SampleClient client, byte[] record) =>
        client.AskAsync(record, answer => answer.AsSpan().SequenceEqual(record));

    // Type, version 1.2, epoch 0, sequence number, length, and as many bytes (RFC 6347, 4.1).
    private static byte[] Record(byte type, byte sequence) =>
        [type, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, sequence, 0, 5, 1, 2, 3, 4, 5];
}
