namespace Geo.Embedded;

/// <summary>
/// Makes references to grains. A reference costs little, is valid for ever and from any thread; the grain behind it is activated by
/// the first call (GEO section 2).
/// </summary>
/// <remarks>
/// Where several grain classes implement the interface, <c>grainClassNamePrefix</c> picks the one whose full name is, or starts with,
/// that text. In a silo an interface that no class implements, or that more than one does, is an <see cref="ArgumentException"/> here;
/// for a client it is a <see cref="GeoConfigurationException"/> of the call, because only the silo knows its classes.
/// </remarks>
public interface IGrainFactory
{
    /// <summary>A reference to the grain with a text key.</summary>
    TGrainInterface GetGrain<TGrainInterface>(string primaryKey, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithStringKey;

    /// <summary>A reference to the grain with a Guid key.</summary>
    TGrainInterface GetGrain<TGrainInterface>(Guid primaryKey, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithGuidKey;

    /// <summary>A reference to the grain with a number as its key.</summary>
    TGrainInterface GetGrain<TGrainInterface>(long primaryKey, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithIntegerKey;

    /// <summary>A reference to the grain with a Guid and a text as its key.</summary>
    TGrainInterface GetGrain<TGrainInterface>(Guid primaryKey, string keyExtension, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithGuidCompoundKey;

    /// <summary>A reference to the grain with a number and a text as its key.</summary>
    TGrainInterface GetGrain<TGrainInterface>(long primaryKey, string keyExtension, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithIntegerCompoundKey;
}
