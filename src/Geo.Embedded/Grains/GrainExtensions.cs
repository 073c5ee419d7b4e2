using System.Globalization;

namespace Geo.Embedded;

/// <summary>The identity of grains and of references to them.</summary>
public static class GrainExtensions
{
    /// <summary>The grain's identity across all clusters.</summary>
    /// <exception cref="ArgumentException">This is neither a grain nor a reference to one.</exception>
    /// <remarks>The type of a reference that a client made is the interface's, because only the silo knows its classes.</remarks>
    public static GrainKey GetGrainKey(this IAddressable grain)
    {
        ArgumentNullException.ThrowIfNull(grain);
        return grain switch
        {
            Grain own => own.Activation.Key,
            IGrainReference reference => reference.Key,
            _ => throw new ArgumentException($"{grain.GetType().FullName} is neither a grain nor a reference to one.", nameof(grain)),
        };
    }

    /// <summary>The key of a grain with a text key.</summary>
    public static string GetPrimaryKeyString(this IAddressable grain) => grain.GetGrainKey().Key;

    /// <summary>The key of a grain with a Guid key.</summary>
    /// <exception cref="InvalidOperationException">The grain has another kind of key.</exception>
    public static Guid GetPrimaryKey(this IAddressable grain) => grain.GetPrimaryKey(out _);

    /// <summary>The key of a grain with a Guid key, and its extension where it has one.</summary>
    /// <exception cref="InvalidOperationException">The grain has another kind of key.</exception>
    public static Guid GetPrimaryKey(this IAddressable grain, out string? keyExt)
    {
        (var key, keyExt) = GrainKeys.Split(grain.GetGrainKey().Key);
        return Guid.TryParseExact(key, "N", out var guid) ? guid : throw WrongKind(key, "a Guid");
    }

    /// <summary>The key of a grain with a number as its key.</summary>
    /// <exception cref="InvalidOperationException">The grain has another kind of key.</exception>
    public static long GetPrimaryKeyLong(this IAddressable grain) => grain.GetPrimaryKeyLong(out _);

    /// <summary>The key of a grain with a number as its key, and its extension where it has one.</summary>
    /// <exception cref="InvalidOperationException">The grain has another kind of key.</exception>
    public static long GetPrimaryKeyLong(this IAddressable grain, out string? keyExt)
    {
        (var key, keyExt) = GrainKeys.Split(grain.GetGrainKey().Key);
        return long.TryParse(key, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number)
            ? number
            : throw WrongKind(key, "a number");
    }

    /// <summary>A reference to the grain, to be handed to others; grains never pass <c>this</c>.</summary>
    /// <typeparam name="TGrainInterface">A grain interface that the grain implements.</typeparam>
    public static TGrainInterface AsReference<TGrainInterface>(this IAddressable grain)
        where TGrainInterface : IGrain
    {
        ArgumentNullException.ThrowIfNull(grain);
        return grain switch
        {
            Grain own => (TGrainInterface)own.Activation.ReferenceTo(typeof(TGrainInterface)),
            IGrainReference reference => (TGrainInterface)reference.As(typeof(TGrainInterface)),
            _ => throw new ArgumentException($"{grain.GetType().FullName} is neither a grain nor a reference to one.", nameof(grain)),
        };
    }

    private static InvalidOperationException WrongKind(string key, string wanted) =>
        new($"The grain's key '{key}' is not {wanted}; read it by the method that fits the key of its interface.");
}
