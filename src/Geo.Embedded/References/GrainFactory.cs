namespace Geo.Embedded;

/// <summary>Makes references.</summary>
/// <param name="sender">Takes the calls of the references.</param>
/// <param name="typeOf">The grain type for an interface and a class prefix.</param>
internal sealed class GrainFactory(ICallSender sender, Func<GrainInterface, string?, string> typeOf) : IGrainFactory
{
    public TGrainInterface GetGrain<TGrainInterface>(string primaryKey, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithStringKey
    {
        ArgumentNullException.ThrowIfNull(primaryKey);
        return Get<TGrainInterface>(primaryKey, grainClassNamePrefix);
    }

    public TGrainInterface GetGrain<TGrainInterface>(Guid primaryKey, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithGuidKey => Get<TGrainInterface>(GrainKeys.Text(primaryKey), grainClassNamePrefix);

    public TGrainInterface GetGrain<TGrainInterface>(long primaryKey, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithIntegerKey => Get<TGrainInterface>(GrainKeys.Text(primaryKey), grainClassNamePrefix);

    public TGrainInterface GetGrain<TGrainInterface>(Guid primaryKey, string keyExtension, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithGuidCompoundKey =>
        Get<TGrainInterface>(GrainKeys.WithExtension(GrainKeys.Text(primaryKey), keyExtension), grainClassNamePrefix);

    public TGrainInterface GetGrain<TGrainInterface>(long primaryKey, string keyExtension, string? grainClassNamePrefix = null)
        where TGrainInterface : IGrainWithIntegerCompoundKey =>
        Get<TGrainInterface>(GrainKeys.WithExtension(GrainKeys.Text(primaryKey), keyExtension), grainClassNamePrefix);

    /// <summary>A reference to a grain whose identity is known.</summary>
    public object Reference(Type interfaceType, GrainKey key) => GrainReference.Create(interfaceType, key, sender);

    private TGrainInterface Get<TGrainInterface>(string key, string? classPrefix)
    {
        try
        {
            return (TGrainInterface)Reference(
                typeof(TGrainInterface), new GrainKey(typeOf(GrainInterface.Of(typeof(TGrainInterface)), classPrefix), key));
        }
        catch (GeoConfigurationException e)
        {
            throw new ArgumentException(e.Message, nameof(TGrainInterface), e);
        }
    }
}
