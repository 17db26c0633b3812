using System.Globalization;
using System.Runtime.InteropServices;
using Spate.Messages;
using Spate.Sockets.Mmsg;

namespace Spate.Tests.Messages;

public sealed class ControlMessageTests
{
    private const int RandomCases = 100_000;

    [Fact]
    public void Write_IntAndUInt16_HaveTheKernelsBytes()
    {
        Span<byte> buffer = stackalloc byte[64];
        buffer.Fill(0xEE);
        var writer = new ControlMessageWriter(buffer);

        writer.Add(17, 103, (ushort)0x0564);
        writer.Add(0, 1, 0x01020304);

        Assert.SkipUnless(BitConverter.IsLittleEndian, "the bytes are written out for little-endian machines");
        Assert.Equal(48, writer.Length);
        Assert.Equal(
            "12000000000000001100000067000000" + "6405000000000000"
            + "14000000000000000000000001000000" + "0403020100000000",
            Convert.ToHexString(buffer[..48]));
        Assert.Equal(-1, buffer[48..].IndexOfAnyExcept((byte)0xEE));
    }

    [Theory]
    [InlineData(0, 16)]
    [InlineData(1, 24)]
    [InlineData(8, 24)]
    [InlineData(9, 32)]
    [InlineData(20, 40)]
    public void Space_DataBytes_IsCmsgSpace(int dataBytes, int expected) =>
        Assert.Equal(expected, ControlMessages.Space(dataBytes));

    [Theory]
    [InlineData(0)]
    [InlineData(15)]
    [InlineData(16)]
    [InlineData(19)]
    [InlineData(23)]
    public void Write_NoRoom_ThrowsAndWritesNothing(int bufferBytes)
    {
        byte[] buffer = new byte[bufferBytes];

        Assert.Throws<InvalidOperationException>(() => new ControlMessageWriter(buffer).Add(1, 2, -1));

        Assert.Equal(new byte[bufferBytes], buffer);
    }

    [Fact]
    public void Write_ExactRoom_IsTaken()
    {
        var writer = new ControlMessageWriter(new byte[40]);

        writer.Add(1, 2, 3);
        writer.AddBytes(4, 5, []);

        Assert.Equal(40, writer.Length);
    }

    [Theory]
    [InlineData(0UL)]
    [InlineData(15UL)]
    [InlineData(33UL)]
    [InlineData(0x7FFFFFFFUL)]
    [InlineData(0x80000000UL)]
    [InlineData(0x1_00000010UL)]
    [InlineData(0x7FFFFFFF_FFFFFFFFUL)]
    [InlineData(ulong.MaxValue)]
    public void Read_ImpossibleLength_EndsForGood(ulong messageBytes)
    {
        byte[] control = new byte[32];
        MemoryMarshal.Write(control, messageBytes);
        MemoryMarshal.Write(control.AsSpan(16), 16UL);
        var reader = new ControlMessageReader(control);

        Assert.False(reader.TryRead(out _));
        Assert.False(reader.TryRead(out _));
    }

    [Fact]
    public void Read_LastMessageWithoutPadding_IsRead()
    {
        byte[] control = new byte[48];
        var writer = new ControlMessageWriter(control);
        writer.Add(1, 2, 3);
        writer.Add(4, 5, (ushort)6);
        var reader = new ControlMessageReader(control.AsSpan(0, 24 + 16 + 2));

        Assert.True(reader.TryRead(out ControlMessage message));
        Assert.Equal((1, 2, 3), (message.Level, message.Type, MemoryMarshal.Read<int>(message.Data)));
        Assert.True(reader.TryRead(out message));
        Assert.Equal((4, 5, 6), (message.Level, message.Type, MemoryMarshal.Read<ushort>(message.Data)));
        Assert.False(reader.TryRead(out _));
    }

    [Fact]
    public void Read_WhatWasWritten_IsTheSame()
    {
        Random random = SeededRandom();
        byte[] buffer = new byte[1024];
        for (int i = 0; i < 10_000; i++)
        {
            List<(int Level, int Type, byte[] Data)> expected = WriteRandom(random, buffer, out int length);

            var reader = new ControlMessageReader(buffer.AsSpan(0, length));

            foreach ((int level, int type, byte[] data) in expected)
            {
                Assert.True(reader.TryRead(out ControlMessage message));
                Assert.Equal((level, type), (message.Level, message.Type));
                Assert.True(message.Data.SequenceEqual(data));
            }
            Assert.False(reader.TryRead(out _));
        }
    }

    [Fact]
    public void Read_Garbage_StaysInsideAndAgreesWithTheReference()
    {
        Random random = SeededRandom();
        byte[] buffer = new byte[256];
        int messagesRead = 0;
        for (int i = 0; i < RandomCases; i++)
        {
            int length = FillGarbage(random, buffer);
            ReadOnlySpan<byte> control = buffer.AsSpan(0, length);
            List<(int Offset, int Length)> expected = ReferenceWalk(control);

            var reader = new ControlMessageReader(control);
            foreach ((int offset, int dataBytes) in expected)
            {
                Assert.True(reader.TryRead(out ControlMessage message), $"case {i}");
                Assert.True(message.Data == control.Slice(offset, dataBytes), $"case {i}: not the same memory");
                Assert.Equal(MemoryMarshal.Read<int>(control[(offset - 8)..]), message.Level);
                Assert.Equal(MemoryMarshal.Read<int>(control[(offset - 4)..]), message.Type);
                messagesRead++;
            }
            Assert.False(reader.TryRead(out _), $"case {i}");
            Assert.False(reader.TryRead(out _), $"case {i}");
        }

        // Garbage that never gets past the first header would prove little.
        Assert.True(messagesRead > RandomCases / 2, $"only {messagesRead} messages were read");
    }

    /// <summary>Noise, small plausible lengths, or valid messages with bytes changed and the end cut off.</summary>
    private static int FillGarbage(Random random, byte[] buffer)
    {
        random.NextBytes(buffer);
        int length = random.Next(buffer.Length + 1);
        switch (random.Next(3))
        {
            case 0:
                return length;
            case 1:
                for (int at = 0; at + 8 <= buffer.Length; at += 8)
                {
                    MemoryMarshal.Write(buffer.AsSpan(at), (ulong)random.Next(64));
                }
                return length;
            default:
                WriteRandom(random, buffer, out int written);
                for (int changes = random.Next(4); changes > 0; changes--)
                {
                    buffer[random.Next(buffer.Length)] = (byte)random.Next(256);
                }
                return random.Next(written + 1);
        }
    }

    private static List<(int Level, int Type, byte[] Data)> WriteRandom(
        Random random, byte[] buffer, out int length)
    {
        List<(int, int, byte[])> messages = [];
        var writer = new ControlMessageWriter(buffer);
        while (random.Next(6) != 0)
        {
            byte[] data = new byte[random.Next(41)];
            if (ControlMessages.Space(data.Length) > buffer.Length - writer.Length) break;
            random.NextBytes(data);
            (int level, int type) = (random.Next(), random.Next());
            writer.AddBytes(level, type, data);
            messages.Add((level, type, data));
        }
        length = writer.Length;
        return messages;
    }

    /// <summary>The walk of cmsg(3) in arithmetic that cannot overflow: where each message's data lies.</summary>
    private static List<(int Offset, int Length)> ReferenceWalk(ReadOnlySpan<byte> control)
    {
        List<(int, int)> messages = [];
        decimal at = 0;
        while (control.Length - at >= 16)
        {
            decimal messageBytes = MemoryMarshal.Read<ulong>(control[(int)at..]);
            if (messageBytes < 16 || at + messageBytes > control.Length) break;
            messages.Add(((int)at + 16, (int)messageBytes - 16));
            at += decimal.Ceiling(messageBytes / 8) * 8;
        }
        return messages;
    }

    private static Random SeededRandom()
    {
        string? asked = Environment.GetEnvironmentVariable("SPATE_SEED");
        int seed = asked is null ? Random.Shared.Next() : int.Parse(asked, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        return new Random(seed);
    }
}
