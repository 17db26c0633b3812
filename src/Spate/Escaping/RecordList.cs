using System.Collections.ObjectModel;
using System.Diagnostics.CodeAnalysis;

namespace Spate;

/// <summary>
/// Makes the lists of options. Options are records, so a list is copied when it is set: later changes of the caller's
/// list have no effect. The copy is compared by its elements, so that options with equal values are equal. This file is
/// compiled into every assembly that has such options, as <see cref="RecordText"/> is.
/// </summary>
internal static class RecordList
{
    /// <summary>
    /// Copies a list. Null stays null: the call that gets the options names the member that is missing.
    /// </summary>
    [return: NotNullIfNotNull(nameof(list))]
    public static IReadOnlyList<T>? Copy<T>(IReadOnlyList<T>? list) =>
        list is null or ElementList<T> ? list : new ElementList<T>([.. list]);

    private sealed class ElementList<T>(T[] items) : ReadOnlyCollection<T>(items)
    {
        public override bool Equals(object? obj) => obj is ElementList<T> other && this.SequenceEqual(other);

        public override int GetHashCode()
        {
            var hash = default(HashCode);
            foreach (T item in this) hash.Add(item);
            return hash.ToHashCode();
        }
    }
}
