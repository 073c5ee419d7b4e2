using Geo.Messaging;
using Microsoft.Extensions.Options;

namespace Geo.Embedded;

/// <summary>Checks settings at start and reads the addresses and names in them.</summary>
internal static class SettingsReading
{
    /// <summary>Checks the data annotations of a silo's settings and of those within them.</summary>
    /// <exception cref="GeoConfigurationException">A setting is missing or out of range.</exception>
    public static void Validate(GeoEmbeddedOptions options) =>
        Throw(GeoEmbeddedOptions.Section, SettingsValidator.Instance.Validate(GeoEmbeddedOptions.Section, options));

    /// <inheritdoc cref="Validate(GeoEmbeddedOptions)"/>
    public static void Validate(GeoClientOptions options) =>
        Throw(GeoClientOptions.Section, SettingsValidator.Instance.Validate(GeoClientOptions.Section, options));

    /// <summary>Reads a cluster's name.</summary>
    /// <exception cref="GeoConfigurationException">It is not one.</exception>
    public static ClusterId Cluster(string name, string setting)
    {
        try
        {
            return new ClusterId(name);
        }
        catch (ArgumentException e)
        {
            throw new GeoConfigurationException($"{setting}: {e.Message}", e);
        }
    }

    /// <summary>Reads an address; null where none is set.</summary>
    /// <exception cref="GeoConfigurationException">It is not one.</exception>
    public static PeerAddress? Address(string? text, string setting)
    {
        try
        {
            return text is null ? null : PeerAddress.Parse(text);
        }
        catch (FormatException e)
        {
            throw new GeoConfigurationException($"{setting}: {e.Message}", e);
        }
    }

    private static void Throw(string section, ValidateOptionsResult result)
    {
        if (result.Failed)
        {
            throw OptionsCheck.Wrong($"The settings in '{section}'", result.FailureMessage!);
        }
    }
}
