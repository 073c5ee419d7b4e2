namespace Geo;

/// <summary>A builder for hosts of several silos, which keep the rows of their directory in a store that they share.</summary>
public interface IGeoRowStoreBuilder : IGeoStoreBuilder
{
    /// <summary>Keeps the directory's rows in a store that the host makes once and disposes of when it stops.</summary>
    /// <param name="factory">Makes the store.</param>
    void UseOwnedRowStore(Func<IServiceProvider, IConditionalStore> factory);
}
