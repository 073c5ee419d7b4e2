using System.ComponentModel.DataAnnotations;
using Geo.Messaging;

namespace Geo.Embedded;

/// <summary>Checks settings at start and reads the addresses and names in them.</summary>
internal static class OptionsCheck
{
    /// <summary>Checks the data annotations of an options object.</summary>
    /// <exception cref="GeoConfigurationException">A setting is missing or out of range.</exception>
    public static void Validate(object options, string section)
    {
        var faults = new List<ValidationResult>();
        if (!Validator.TryValidateObject(options, new ValidationContext(options), faults, validateAllProperties: true))
        {
            throw new GeoConfigurationException(
                $"The settings in '{section}' cannot be: {string.Join(' ', faults.Select(f => f.ErrorMessage))}");
        }
    }

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
}
