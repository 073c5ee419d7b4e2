using System.ComponentModel.DataAnnotations;

namespace Geo.Testing;

/// <summary>Checks options against their annotations.</summary>
internal static class OptionsCheck
{
    /// <exception cref="GeoConfigurationException">An option is out of range.</exception>
    public static T Checked<T>(this T options)
        where T : notnull
    {
        var faults = new List<ValidationResult>();
        return Validator.TryValidateObject(options, new ValidationContext(options), faults, validateAllProperties: true)
            ? options
            : throw new GeoConfigurationException($"{typeof(T).Name} do not hold: {string.Join(" ", faults)}");
    }
}
