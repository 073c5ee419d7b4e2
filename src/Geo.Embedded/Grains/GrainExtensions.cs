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

    /// <summary>
    /// The epoch of this instance's tenancy, for a grain with <see cref="GlobalSingleInstanceAttribute"/>: write it along with what the
    /// grain stores elsewhere, and let nothing with a lower one replace it, so that an instance which does not know yet that another one
    /// has taken its place cannot undo what that one has written.
    /// </summary>
    /// <remarks>
    /// It is the same as long as the instance lives, and has no meaning but its order. With <see cref="SingleInstanceMode.Quorum"/> it is
    /// higher than that of every instance before, whatever happens. With the other modes it begins with the time of the owner's wall clock:
    /// it is higher as far as the clocks of the silos agree, and of two instances in doubt neither knows of the other's.
    /// </remarks>
    /// <exception cref="InvalidOperationException">The grain is no single-instance grain.</exception>
    public static long GetTenancyEpoch(this Grain grain)
    {
        ArgumentNullException.ThrowIfNull(grain);
        return grain.Activation.Tenancy is not 0 and var epoch ? epoch : throw new InvalidOperationException(
            $"{grain.GetType().FullName} has no tenancy: only grains with [GlobalSingleInstance] have one.");
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
