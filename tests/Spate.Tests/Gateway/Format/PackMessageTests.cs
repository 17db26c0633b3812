using System.Buffers.Binary;
using Spate.Gateway.Format;
using Spate.TestHelpers.Gateways;

namespace Spate.Tests.Gateway.Format;

public sealed class PackMessageTests
{
    [Fact]
    public void Write_Prefix_HasTheDocumentedBytes()
    {
        var prefix = new PackPrefix
        {
            Kind = PackKind.Records,
            Flags = PackFlags.Begin | PackFlags.More,
            Shard = 0x0102,
            Partition = 0x0304,
            Epoch = 0x0102030405060708,
            FirstSequence = 0x1112131415161718,
            Count = 0x21222324,
            BodyBytes = 0x31323334,
            FirstTime = 0x4142434445464748,
            LastTime = 0x5152535455565758,
        };
        byte[] bytes = new byte[200];

        int length = prefix.Write(
            bytes, "ab"u8, [UdpEndPoint.Parse("1.2.3.4:258"), UdpEndPoint.Parse("[2001:db8::1]:514")]);

        Assert.Equal(
            "53504757" + "01" + "01" + "0500" + "5600" + "0201" + "0403" + "02" + "02" + "0807060504030201"
            + "1817161514131211" + "24232221" + "34333231" + "4847464544434241" + "5857565554535251" + "6162"
            + "0400" + "0201" + "01020304" + "0600" + "0202" + "20010DB8000000000000000000000001",
            Convert.ToHexString(bytes.AsSpan(0, length)));
    }

    [Fact]
    public void Read_LongerPrefix_SkipsWhatItDoesNotKnow()
    {
        byte[] written = MessageBytes.Records(5, 1);
        int prefixBytes = written.Length - FormatLimits.MinRecordBytes;
        byte[] bytes = [.. written[..prefixBytes], 1, 2, 3, .. written[prefixBytes..]];
        BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(PrefixLayout.PrefixBytesAt), (ushort)(prefixBytes + 3));

        Assert.Equal(FormatFault.None, PackMessage.Read(bytes, out PackMessage message));
        Assert.Equal(FormatFault.None, RecordReader.FindFault(message));
        Assert.Equal(5UL, message.FirstSequence);
        Assert.Equal(new byte[] { 192, 0, 2, 1 }, message.LocalEndPoint(0, out int port).ToArray());
        Assert.Equal(514, port);
    }

    [Theory]
    [InlineData(0, "53504758", FormatFault.Magic)]
    [InlineData(PrefixLayout.VersionAt, "02", FormatFault.Version)]
    [InlineData(PrefixLayout.KindAt, "03", FormatFault.Kind)]
    [InlineData(PrefixLayout.PrefixBytesAt, "0000", FormatFault.PrefixLength)]
    [InlineData(PrefixLayout.PrefixBytesAt, "3900", FormatFault.PrefixLength)]
    [InlineData(PrefixLayout.PrefixBytesAt, "FFFF", FormatFault.PrefixLength)]
    [InlineData(PrefixLayout.IdBytesAt, "00", FormatFault.Id)]
    [InlineData(PrefixLayout.IdBytesAt, "41", FormatFault.PrefixLength)]
    [InlineData(PackPrefix.FixedBytes, "FF", FormatFault.Id)]
    [InlineData(PrefixLayout.LocalEndPointCountAt, "00", FormatFault.LocalEndPoints)]
    [InlineData(PrefixLayout.LocalEndPointCountAt, "02", FormatFault.LocalEndPoints)]
    [InlineData(PrefixLayout.LocalEndPointCountAt, "FF", FormatFault.LocalEndPoints)]
    [InlineData(PackPrefix.FixedBytes + 2, "05", FormatFault.LocalEndPoints)]
    [InlineData(PackPrefix.FixedBytes + 2, "06", FormatFault.LocalEndPoints)]
    [InlineData(PrefixLayout.BodyBytesAt, "FFFFFFFF", FormatFault.BodyLength)]
    [InlineData(PrefixLayout.BodyBytesAt, "00000000", FormatFault.BodyLength)]
    [InlineData(PrefixLayout.FirstSequenceAt, "FFFFFFFFFFFFFFFF", FormatFault.Sequence)]
    [InlineData(PrefixLayout.FirstSequenceAt, "0000000000000040", FormatFault.Sequence)]
    [InlineData(PrefixLayout.EpochAt, "FFFFFFFFFFFFFFFF", FormatFault.Time)]
    [InlineData(PrefixLayout.FirstTimeAt, "FFFFFFFFFFFFFF7F", FormatFault.Time)]
    [InlineData(PrefixLayout.LastTimeAt, "0000000000000000", FormatFault.Time)]
    public void Read_OneFieldChanged_IsSeen(int offset, string field, object fault)
    {
        byte[] bytes = MessageBytes.Records(0, 1);
        Convert.FromHexString(field).CopyTo(bytes, offset);

        Assert.Equal((FormatFault)fault, PackMessage.Read(bytes, out _));
    }

    [Fact]
    public void Read_EveryTruncation_IsRefused()
    {
        byte[] bytes = MessageBytes.Records(0, 3);
        for (int length = 0; length < bytes.Length; length++)
        {
            Assert.NotEqual(FormatFault.None, PackMessage.Read(bytes.AsSpan(0, length), out _));
        }
    }

    [Fact]
    public void Read_EveryExtension_IsRefused() =>
        Assert.Equal(FormatFault.BodyLength, PackMessage.Read([.. MessageBytes.Records(0, 3), 0], out _));
}
