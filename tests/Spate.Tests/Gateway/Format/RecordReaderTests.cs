using System.Buffers.Binary;
using Spate.Gateway.Format;
using Spate.TestHelpers.Gateways;

namespace Spate.Tests.Gateway.Format;

public sealed class RecordReaderTests
{
    private static readonly string[] Peers =
        ["198.51.100.7:1", "[2001:db8::7]:65535", "[fe80::7%3]:0", "0.0.0.0:53"];

    private static readonly string[] Locals = ["", "192.0.2.9", "2001:db8::9"];

    [Fact]
    public void MoveNext_WhateverWasWritten_IsReadAgain()
    {
        Random random = RandomCase.Create();
        for (int round = 0; round < 500; round++)
        {
            Written[] written = [.. Enumerable.Range(0, random.Next(20)).Select(_ => AnyDatagram(random))];
            byte[] bytes = Message(written);
            Assert.Equal(FormatFault.None, PackMessage.Read(bytes, out PackMessage message));
            Assert.Equal(FormatFault.None, RecordReader.FindFault(message));

            int count = 0;
            foreach (RecordView record in new RecordReader(message))
            {
                Written expected = written[count++];
                Assert.Equal(expected.Payload, record.Payload.ToArray());
                Assert.Equal(expected.SinceFirst, record.Nanoseconds);
                Assert.Equal(expected.IsTruncated, (record.Flags & RecordFlags.Truncated) != RecordFlags.None);
                Assert.Equal(expected.Peer.Port, record.PeerPort);
                Assert.Equal(expected.Peer.Address.ScopeId, record.PeerScope);
                Assert.Equal(AddressOf(expected.Peer.Address), record.PeerAddress.ToArray());
                bool isToldLocal = !expected.Local.IsDefault && expected.Local.IsIPv6 == expected.Peer.IsIPv6;
                Assert.Equal(isToldLocal ? AddressOf(expected.Local) : [], record.LocalAddress.ToArray());
            }

            Assert.Equal(written.Length, count);
        }
    }

    [Theory]
    [InlineData(RecordView.FlagsAt, 16, FormatFault.Record)]
    [InlineData(RecordView.FlagsAt, 8, FormatFault.Record)]
    [InlineData(RecordView.FlagsAt, 2, FormatFault.Record)]
    [InlineData(RecordView.LocalIndexAt, 1, FormatFault.Record)]
    [InlineData(0, 1, FormatFault.Record)]
    [InlineData(1, 255, FormatFault.Record)]
    public void FindFault_OneByteChanged_IsSeen(int offset, byte value, object fault)
    {
        byte[] bytes = MessageBytes.Records(0, 1);
        bytes[^(FormatLimits.MinRecordBytes - offset)] = value;
        Assert.Equal(FormatFault.None, PackMessage.Read(bytes, out PackMessage message));

        Assert.Equal((FormatFault)fault, RecordReader.FindFault(message));
    }

    [Theory]
    [InlineData(1u, FormatFault.Rest)]
    [InlineData(3u, FormatFault.Record)]
    [InlineData(uint.MaxValue, FormatFault.Record)]
    public void FindFault_AnotherCountThanRecords_IsSeen(uint count, object fault)
    {
        byte[] bytes = MessageBytes.Records(0, 2);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(PrefixLayout.CountAt), count);
        Assert.Equal(FormatFault.None, PackMessage.Read(bytes, out PackMessage message));

        Assert.Equal((FormatFault)fault, RecordReader.FindFault(message));
    }

    private static byte[] AddressOf(UdpAddress address) => address.ToIPAddress().GetAddressBytes();

    private static Written AnyDatagram(Random random)
    {
        string local = Locals[random.Next(Locals.Length)];
        byte[] payload = new byte[random.Next(300)];
        random.NextBytes(payload);
        return new Written(
            UdpEndPoint.Parse(Peers[random.Next(Peers.Length)]),
            local.Length == 0 ? default : UdpAddress.Parse(local),
            payload,
            (uint)random.NextInt64(uint.MaxValue),
            random.Next(2) == 0);
    }

    private static byte[] Message(Written[] written)
    {
        byte[] bytes = new byte[FormatLimits.MaxPrefixBytes + (written.Length * 400)];
        int used = PackPrefix.BytesFor("gw"u8, [MessageBytes.Local]);
        int prefixBytes = used;
        foreach (Written one in written)
        {
            used += RecordWriter.TryWrite(
                bytes.AsSpan(used), one.Peer, one.Local, 0, one.SinceFirst, one.Payload, one.IsTruncated);
        }

        var prefix = new PackPrefix
        {
            Kind = PackKind.Records,
            Count = (uint)written.Length,
            BodyBytes = (uint)(used - prefixBytes),
        };
        _ = prefix.Write(bytes, "gw"u8, [MessageBytes.Local]);
        return bytes[..used];
    }

    private sealed record Written(
        UdpEndPoint Peer, UdpAddress Local, byte[] Payload, uint SinceFirst, bool IsTruncated);
}
