using Microsoft.Extensions.Configuration;

namespace Geo;

/// <summary>
/// The section of a silo's settings. Those of its stores lie under <c>Stores</c> and <c>Rows</c>, and are read where a store is added.
/// </summary>
internal sealed class GeoSection(IConfigurationSection section)
{
    private const string Stores = "Stores";
    private const string Rows = "Rows";

    private readonly HashSet<string> _read = new(StringComparer.OrdinalIgnoreCase);

    public TOptions ReadStore<TOptions>(string name)
        where TOptions : class => Read<TOptions>(section.GetSection(ConfigurationPath.Combine(Stores, name)));

    public TOptions ReadRows<TOptions>()
        where TOptions : class => Read<TOptions>(section.GetSection(Rows));

    /// <summary>Sets the silo's own settings.</summary>
    /// <exception cref="GeoConfigurationException">
    /// A key is not known, its value is not what the setting takes, or there are settings of a store that was not added with them.
    /// </exception>
    public void BindRest(object options)
    {
        foreach (var store in section.GetSection(Stores).GetChildren().Append(section.GetSection(Rows)))
        {
            if (store.Exists() && !_read.Contains(store.Path))
            {
                throw new GeoConfigurationException(
                    $"The settings in '{store.Path}' are of no store: add one that reads them, without options in code, or remove them.");
            }
        }

        new ConfigurationBuilder().AddInMemoryCollection(section.AsEnumerable().Where(pair => !IsOfStore(pair.Key))).Build()
            .GetSection(section.Path).BindKnown(options);
    }

    private TOptions Read<TOptions>(IConfigurationSection store)
        where TOptions : class
    {
        _read.Add(store.Path);
        return store.GetKnown<TOptions>() ?? throw new GeoConfigurationException(
            $"There are no settings in '{store.Path}' for the store that is to be read from there. Add them, or give options in code.");
    }

    private bool IsOfStore(string path) => new[] { Stores, Rows }.Select(name => ConfigurationPath.Combine(section.Path, name)).Any(
        own => path.Equals(own, StringComparison.OrdinalIgnoreCase)
            || path.StartsWith(own + ConfigurationPath.KeyDelimiter, StringComparison.OrdinalIgnoreCase));
}
