using System.Net;
using System.Reflection;
using System.Runtime.CompilerServices;
using Spate.Gateway;
using Spate.HostTuning.Reading;
using Spate.Measurement.Reports;
using Spate.Serving;
using Spate.Testing;

namespace Spate.Tests.Escaping;

/// <summary>The lists of all records that a caller gives to a call: options and requests.</summary>
public sealed class RecordListTests
{
    public static TheoryData<Type, string> ListsOfOptions => [.. from assembly in (Assembly[])
        [
            typeof(UdpServer).Assembly, typeof(UdpGateway).Assembly, typeof(HostFacts).Assembly,
            typeof(Report).Assembly, typeof(TestShard).Assembly,
        ]
        from type in assembly.GetExportedTypes()
        where type.GetMethod("PrintMembers", BindingFlags.Instance | BindingFlags.NonPublic) is not null
            && (type.Name.EndsWith("Options", StringComparison.Ordinal)
                || type.Name.EndsWith("Request", StringComparison.Ordinal))
        from property in type.GetProperties()
        where property.PropertyType.IsGenericType
            && property.PropertyType.GetGenericTypeDefinition() == typeof(IReadOnlyList<>)
        select (type, property.Name)];

    [Theory]
    [MemberData(nameof(ListsOfOptions))]
    public void List_OfOptions_IsCopiedAndComparedByElement(Type type, string name)
    {
        PropertyInfo property = type.GetProperty(name)!;
        MethodInfo check = GetType().GetMethod(nameof(Check), BindingFlags.Static | BindingFlags.NonPublic)!;
        check.MakeGenericMethod(property.PropertyType.GetGenericArguments()).Invoke(null, [type, property]);
    }

    [Fact]
    public void Options_WithEqualValues_AreEqual()
    {
        UdpServerOptions one = new() { LocalEndPoints = [UdpEndPoint.Any(9)], Cpus = [2, 3] };
        UdpServerOptions same = one with { LocalEndPoints = [UdpEndPoint.Any(9)], Cpus = [2, 3] };

        Assert.Equal(one, same);
        Assert.Equal(one.GetHashCode(), same.GetHashCode());
        Assert.NotEqual(one, same with { Cpus = [3, 2] });
        Assert.NotEqual(one, same with { Cpus = [2] });
        Assert.NotEqual(one, same with { Cpus = [] });
    }

    private static void Check<T>(Type type, PropertyInfo property)
    {
        T element = (T)Sample(typeof(T));
        List<T> given = [element];
        object one = RuntimeHelpers.GetUninitializedObject(type);
        object same = RuntimeHelpers.GetUninitializedObject(type);
        object other = RuntimeHelpers.GetUninitializedObject(type);
        property.SetValue(one, given);
        property.SetValue(same, new[] { element });
        property.SetValue(other, new[] { element, element });

        given.Add(element);

        Assert.Equal([element], (IReadOnlyList<T>)property.GetValue(one)!);
        Assert.True(one.Equals(same));
        Assert.Equal(one.GetHashCode(), same.GetHashCode());
        Assert.False(one.Equals(other));
        property.SetValue(one, null);
        Assert.Null(property.GetValue(one));
    }

    private static object Sample(Type type) =>
        type == typeof(string) ? "text"
        : type == typeof(IPAddress) ? IPAddress.Loopback
        : type == typeof(IPEndPoint) ? new IPEndPoint(IPAddress.Loopback, 1)
        : RuntimeHelpers.GetUninitializedObject(type);
}
