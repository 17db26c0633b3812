using System.Collections;
using System.Reflection;
using System.Runtime.CompilerServices;
using Spate.Gateway;
using Spate.Hosting;
using Spate.HostTuning.Reading;
using Spate.Measurement.PathTest;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Tests.Escaping;

public sealed class RecordTextTests
{
    // More than any list prints of its elements.
    private const int ElementCount = 40;

    // Lists in records that are elements of lists are filled too; no record has more levels than this.
    private const int MaxDepth = 3;

    // The longest: ten lists of 1,000 characters each, in a record of some fifty members.
    private const int MaxCharacters = 16_000;

    public static TheoryData<Type> RecordsWithLists => [.. AllRecords.Where(static one => Lists(one).Any())];

    private static IEnumerable<Type> AllRecords =>
        from assembly in (Assembly[])
        [
            typeof(UdpSocket).Assembly, typeof(UdpServer).Assembly, typeof(UdpHostedServerOptions).Assembly,
            typeof(UdpGateway).Assembly, typeof(HostFacts).Assembly, typeof(Report).Assembly,
        ]
        from type in assembly.GetExportedTypes()
        where !type.IsAbstract && type.GetMethod("PrintMembers", Declared) is not null
        select type;

    private static BindingFlags Declared =>
        BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.DeclaredOnly;

    [Theory]
    [MemberData(nameof(RecordsWithLists))]
    public void ToString_RecordWithLists_ShowsTheirElements(Type record)
    {
        object instance = Make(record, depth: 0);

        string text = instance.ToString()!;

        Assert.DoesNotMatch(@"\w\[\]", text);
        Assert.DoesNotContain("`", text, StringComparison.Ordinal);
        Assert.DoesNotContain("System.", text, StringComparison.Ordinal);
        Assert.InRange(text.Length, 1, MaxCharacters);
    }

    [Fact]
    public void ToString_ShortList_IsWhole() => Assert.Contains(
        " Cpus = [3, 5],",
        new UdpServerOptions { LocalEndPoints = [], Cpus = [3, 5] }.ToString(),
        StringComparison.Ordinal);

    [Fact]
    public void ToString_LongList_SaysHowManyMore() => Assert.Contains(
        "Cpus = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, and 24 more]",
        new UdpServerOptions { LocalEndPoints = [], Cpus = [.. Enumerable.Range(0, ElementCount)] }.ToString(),
        StringComparison.Ordinal);

    [Fact]
    public void ToString_NameThatEndsAnotherName_IsNotFoundThere()
    {
        string text = new TwoEnds { Cpus = [1] }.ToString();

        Assert.Contains(" Cpus = [1]", text, StringComparison.Ordinal);
        Assert.Contains(" RemoteCpus = ", text, StringComparison.Ordinal);
        Assert.DoesNotContain(" RemoteCpus = [1]", text, StringComparison.Ordinal);
    }

    [Fact]
    public void ToString_Report_IsItsJson() => Assert.StartsWith(
        "{\"schema\":\"spate/1\",\"kind\":\"test\"",
        new TestReport { Kind = TestReport.KindName }.ToString(),
        StringComparison.Ordinal);

    private static IEnumerable<PropertyInfo> Lists(Type record) =>
        record.GetProperties(BindingFlags.Instance | BindingFlags.Public).Where(static one =>
            one.PropertyType != typeof(string) && typeof(IEnumerable).IsAssignableFrom(one.PropertyType));

    /// <summary>An object whose lists all have elements. No constructor runs, since many need arguments.</summary>
    private static object Make(Type type, int depth)
    {
        if (type == typeof(string)) return "text";

        object instance = RuntimeHelpers.GetUninitializedObject(type);
        for (Type? at = type; at is not null && depth < MaxDepth; at = at.BaseType)
        {
            foreach (FieldInfo field in at.GetFields(Declared))
            {
                if (Value(field.FieldType, depth) is { } value) field.SetValue(instance, value);
            }
        }

        return instance;
    }

    private static object? Value(Type type, int depth)
    {
        if (type == typeof(string)) return "text";
        if (type == typeof(UdpServerDesign)) return UdpServerDesign.Sharded;

        bool isRecord = type.GetMethod("PrintMembers", Declared) is not null;
        if (isRecord && !type.IsAbstract) return depth + 1 < MaxDepth ? Make(type, depth + 1) : null;

        if (type.IsArray) return ArrayOf(type.GetElementType()!, depth);

        Type[] arguments = type.IsGenericType && type.IsInterface ? type.GetGenericArguments() : [];
        return arguments.Length switch
        {
            1 when type.IsAssignableFrom(arguments[0].MakeArrayType()) => ArrayOf(arguments[0], depth),
            2 => Activator.CreateInstance(typeof(Dictionary<,>).MakeGenericType(arguments)),
            _ => null,
        };
    }

    private sealed record TwoEnds : EndOptions
    {
        // Not named as a list for the text, and equal to the list that is.
        public IReadOnlyList<int> RemoteCpus => Cpus;

        public override string ToString() => base.ToString();
    }

    private static Array ArrayOf(Type element, int depth)
    {
        var array = Array.CreateInstance(element, ElementCount);
        bool isFilled = element == typeof(string)
            || (depth + 1 < MaxDepth && !element.IsAbstract && element.GetMethod("PrintMembers", Declared) is not null);
        for (int i = 0; isFilled && i < ElementCount; i++) array.SetValue(Make(element, depth + 1), i);
        return array;
    }
}
