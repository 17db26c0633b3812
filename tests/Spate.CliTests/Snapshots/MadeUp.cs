using System.Globalization;
using System.Reflection;

namespace Spate.CliTests.Snapshots;

/// <summary>
/// Makes objects whose every property has a value that its name alone decides, so that nothing depends on the host, and
/// a property that moves to another type keeps its value.
/// </summary>
/// <param name="isSparse">Whether all that may be null is null.</param>
/// <param name="listLength">The number of elements of each list.</param>
/// <param name="needed">The names of properties that are never null; null for none.</param>
/// <param name="choose">A value for a property by its name; null where any will do.</param>
internal sealed class MadeUp(
    bool isSparse, int listLength, IReadOnlyCollection<string>? needed = null, Func<string, string?>? choose = null)
{
    private const int MaxNumber = 900;

    private readonly NullabilityInfoContext _nullability = new();

    /// <summary>Makes an object of a type.</summary>
    public T Make<T>() => (T)Make(typeof(T));

    /// <summary>Makes an object of a type, by the constructor with the fewest parameters.</summary>
    public object Make(Type type, int place = 0)
    {
        ConstructorInfo[] constructors = type.GetConstructors(
            BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance);
        ConstructorInfo? constructor = constructors.Where(one => !IsCopy(one, type))
            .MinBy(static one => one.GetParameters().Length);
        object made = constructor is null
            ? Activator.CreateInstance(type)!
            : constructor.Invoke([.. constructor.GetParameters().Select(one => ValueOf(
                one.ParameterType, StateOf(one), one.Name!, place))]);
        foreach (PropertyInfo property in type.GetProperties(BindingFlags.Public | BindingFlags.Instance))
        {
            if (property.SetMethod is not { IsPublic: true } || property.GetIndexParameters().Length > 0) continue;

            NullabilityState state = _nullability.Create(property).WriteState;
            property.SetValue(made, ValueOf(property.PropertyType, state, property.Name, place));
        }

        return made;
    }

    // A record's constructor that copies another one.
    private static bool IsCopy(ConstructorInfo constructor, Type type) =>
        constructor.GetParameters() is [var only] && only.ParameterType == type;

    // Whether the type argument of a pair, which is the one generic type here, may be null is not known: no key may.
    private NullabilityState StateOf(ParameterInfo parameter) => parameter.Member.DeclaringType!.IsGenericType
        ? NullabilityState.NotNull
        : _nullability.Create(parameter).WriteState;

    private object? ValueOf(Type type, NullabilityState state, string name, int place)
    {
        if (choose?.Invoke(name) is { } chosen) return chosen;

        bool isLeftOut = isSparse && state == NullabilityState.Nullable;
        if (isLeftOut && needed?.Contains(name, StringComparer.Ordinal) is not true) return null;

        type = Nullable.GetUnderlyingType(type) ?? type;
        if (type == typeof(UdpEndPoint)) return UdpEndPoint.Loopback((ushort)NumberOf(name, place));

        return SimpleOf(type, name, place) ?? ListOf(type, name) ?? Make(type, place);
    }

    private static object? SimpleOf(Type type, string name, int place)
    {
        if (type.IsEnum)
        {
            Array values = Enum.GetValues(type);
            return values.GetValue(NumberOf(name, place) % values.Length);
        }

        return Type.GetTypeCode(type) switch
        {
            TypeCode.String => $"{char.ToLowerInvariant(name[0])}{name[1..]}{(place > 0 ? $" {place}" : "")}",
            TypeCode.Boolean => true,
            TypeCode.Double => NumberOf(name, place) + 0.25,
            TypeCode.Byte => (byte)(NumberOf(name, place) % 100),
            TypeCode.Object or TypeCode.Empty => null,
            TypeCode other => Convert.ChangeType(NumberOf(name, place), other, CultureInfo.InvariantCulture),
        };
    }

    // Alike at every run and on every machine, which string.GetHashCode is not.
    private static int NumberOf(string name, int place) =>
        (name.ToUpperInvariant().Aggregate(7, static (sum, one) => ((sum * 31) + one) % MaxNumber) + 1) + place;

    private object? ListOf(Type type, string name)
    {
        Type? element = type.IsArray ? type.GetElementType() : type.GetInterfaces().Prepend(type)
            .FirstOrDefault(static one => one.IsGenericType
                && one.GetGenericTypeDefinition() == typeof(IEnumerable<>))?.GetGenericArguments()[0];
        if (element is null) return null;

        var elements = Array.CreateInstance(element, listLength);
        for (int i = 0; i < listLength; i++)
        {
            elements.SetValue(ValueOf(element, NullabilityState.NotNull, name, i), i);
        }

        if (type.IsAssignableFrom(elements.GetType())) return elements;

        if (type.IsInterface) type = typeof(Dictionary<,>).MakeGenericType(element.GetGenericArguments());
        return Activator.CreateInstance(type, elements);
    }
}
