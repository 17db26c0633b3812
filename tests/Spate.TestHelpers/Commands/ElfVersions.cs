using System.Buffers.Binary;
using System.Text;

namespace Spate.TestHelpers.Commands;

/// <summary>The symbol versions that a program needs of its libraries, as <c>objdump -T</c> shows them.</summary>
internal static class ElfVersions
{
    // Offsets in the header of a 64-bit file: elf(5).
    private const int SectionTable = 0x28;
    private const int SectionBytes = 0x3a;
    private const int SectionCount = 0x3c;
    private const int NeededVersions = 0x6ffffffe; // SHT_GNU_verneed

    /// <summary>The glibc of Debian 12, Ubuntu 22.04 and RHEL 9, which the native tool may need.</summary>
    private static readonly Version NewestGlibc = new(2, 34);

    /// <summary>Fails the test where the native tool needs a newer glibc, and prints the one it needs.</summary>
    /// <param name="file">A 64-bit little-endian ELF file.</param>
    public static void AssertGlibc(ReadOnlySpan<byte> file)
    {
        Version[] versions =
        [
            .. NeededBy(file)
                .Where(static name => name.StartsWith("GLIBC_", StringComparison.Ordinal))
                .Select(static name => Version.Parse(name["GLIBC_".Length..])),
        ];

        TestContext.Current.TestOutputHelper?.WriteLine($"the native tool needs glibc {versions.Max()}");
        Assert.NotEmpty(versions);
        Assert.All(versions, static version => Assert.InRange(version, new Version(2, 0), NewestGlibc));
    }

    // Their names, for example GLIBC_2.34.
    private static List<string> NeededBy(ReadOnlySpan<byte> file)
    {
        Assert.True(file is [0x7f, (byte)'E', (byte)'L', (byte)'F', 2, 1, ..], "it is no ELF file of 64 bits");
        var names = new List<string>();
        ReadOnlySpan<byte> sections = file[(int)BinaryPrimitives.ReadUInt64LittleEndian(file[SectionTable..])..];
        int sectionBytes = UInt16(file, SectionBytes);
        for (int i = 0; i < UInt16(file, SectionCount); i++)
        {
            ReadOnlySpan<byte> section = sections[(i * sectionBytes)..];
            if (UInt32(section, 4) != NeededVersions) continue;

            // sh_link names the section of the strings.
            ReadOnlySpan<byte> strings = ContentOf(file, sections[(UInt32(section, 40) * sectionBytes)..]);
            AddNames(ContentOf(file, section), strings, names);
        }

        return names;
    }

    // A library's entry has its count of versions, the first of them, and the next library, as distances in bytes.
    private static void AddNames(ReadOnlySpan<byte> libraries, ReadOnlySpan<byte> strings, List<string> names)
    {
        for (int library = 0, next = 1; next != 0; library += next)
        {
            int version = library + UInt32(libraries, library + 8);
            for (int i = 0; i < UInt16(libraries, library + 2); i++)
            {
                ReadOnlySpan<byte> name = strings[UInt32(libraries, version + 8)..];
                names.Add(Encoding.ASCII.GetString(name[..name.IndexOf((byte)0)]));
                version += UInt32(libraries, version + 12);
            }

            next = UInt32(libraries, library + 12);
        }
    }

    private static ReadOnlySpan<byte> ContentOf(ReadOnlySpan<byte> file, ReadOnlySpan<byte> section) => file.Slice(
        (int)BinaryPrimitives.ReadUInt64LittleEndian(section[24..]),
        (int)BinaryPrimitives.ReadUInt64LittleEndian(section[32..]));

    private static int UInt16(ReadOnlySpan<byte> bytes, int at) => BinaryPrimitives.ReadUInt16LittleEndian(bytes[at..]);

    private static int UInt32(ReadOnlySpan<byte> bytes, int at) =>
        (int)BinaryPrimitives.ReadUInt32LittleEndian(bytes[at..]);
}
