using Microsoft.Extensions.Configuration;

namespace Geo;

/// <summary>
/// The section of a silo's settings. Those of its stores lie under <c>Stores</c> and <c>Rows</c>. All are read when the host starts, for
/// sources of the configuration may be added until then.
/// </summary>
internal sealed class GeoSection(IConfigurationSection section)
{
    private const string Stores = "Stores";
    private const string Rows = "Rows";

    private readonly Dictionary<string, Action> _stores = new(StringComparer.OrdinalIgnoreCase);

    public Func<TOptions> BindStore<TOptions>(string name, Action<TOptions> check)
        where TOptions : class => Bind(section.GetSection(ConfigurationPath.Combine(Stores, name)), check);

    public Func<TOptions> BindRows<TOptions>(Action<TOptions> check)
        where TOptions : class => Bind(section.GetSection(Rows), check);

    /// <summary>Sets the silo's own settings, and reads those of its stores.</summary>
    /// <exception cref="GeoConfigurationException">
    /// A key is not known, its value is not what the setting takes, or there are settings of a store that was not added with them, or none
    /// of one that was.
    /// </exception>
    public void BindRest(object options)
    {
        foreach (var store in section.GetSection(Stores).GetChildren().Append(section.GetSection(Rows)))
        {
            if (store.Exists() && !_stores.ContainsKey(store.Path))
            {
                throw new GeoConfigurationException(
                    $"The settings in '{store.Path}' are of no store: add one that reads them, without options in code, or remove them.");
            }
        }

        foreach (var read in _stores.Values)
        {
            read();
        }

        new ConfigurationBuilder().AddInMemoryCollection(section.AsEnumerable().Where(pair => !IsOfStore(pair.Key))).Build()
            .GetSection(section.Path).BindKnown(options);
    }

    private Func<TOptions> Bind<TOptions>(IConfigurationSection store, Action<TOptions> check)
        where TOptions : class
    {
        var options = new Lazy<TOptions>(() =>
        {
            var read = store.GetKnown<TOptions>() ?? throw new GeoConfigurationException(
                $"There are no settings in '{store.Path}' for the store that is to be read from there. Add them, or give options in code.");
            check(read);
            return read;
        });
        _stores[store.Path] = () => _ = options.Value;
        return () => options.Value;
    }

    private bool IsOfStore(string path) => new[] { Stores, Rows }.Select(name => ConfigurationPath.Combine(section.Path, name)).Any(
        own => path.Equals(own, StringComparison.OrdinalIgnoreCase)
            || path.StartsWith(own + ConfigurationPath.KeyDelimiter, StringComparison.OrdinalIgnoreCase));
}
