using System.Reflection;

namespace Geo.Embedded;

/// <summary>Copies arrays and lists of immutable items without the serializer.</summary>
internal static class ShallowCopies
{
    /// <summary>The copy of a type's values; null when one level is not enough.</summary>
    public static Func<T, T>? Of<T>()
    {
        var type = typeof(T);
        var (item, maker) = type switch
        {
            { IsSZArray: true } => (type.GetElementType()!, nameof(OfArray)),
            { IsGenericType: true } when type.GetGenericTypeDefinition() == typeof(List<>) =>
                (type.GetGenericArguments()[0], nameof(OfList)),
            _ => (null, null),
        };
        return item is not null && Immutability.Holds(item)
            ? (Func<T, T>)typeof(ShallowCopies).GetMethod(maker!, BindingFlags.Static | BindingFlags.NonPublic)!.MakeGenericMethod(item)
                .Invoke(null, null)!
            : null;
    }

    private static Func<TItem[]?, TItem[]?> OfArray<TItem>() => static array => (TItem[]?)array?.Clone();

    private static Func<List<TItem>?, List<TItem>?> OfList<TItem>() => static list => list is null ? null : [.. list];
}
