using System.ComponentModel.DataAnnotations;
using System.Diagnostics.CodeAnalysis;

namespace Geo;

/// <summary>The check of all options: what their annotations say, and rules of their own; one message names all that do not hold.</summary>
internal static class OptionsCheck
{
    /// <summary>Checks options.</summary>
    /// <param name="what">What they are, at the beginning of a sentence, as in <c>The options of the directory</c>.</param>
    /// <param name="parts">The options and those within them; null ones are left out.</param>
    /// <param name="broken">Rules that are broken, each a clause; null for one that is kept.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range, or a rule is broken.</exception>
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "The options' members are used by their library and stay.")]
    public static void Check(string what, IEnumerable<object?> parts, params IEnumerable<string?> broken)
    {
        List<ValidationResult> faults = [];
        foreach (var part in parts.OfType<object>())
        {
            Validator.TryValidateObject(part, new ValidationContext(part), faults, validateAllProperties: true);
        }

        List<string> all = [.. faults.Select(fault => fault.ErrorMessage ?? "an option is out of range"), .. broken.OfType<string>()];
        if (all.Count > 0)
        {
            throw Wrong(what, string.Join("; ", all.Select(fault => fault.TrimEnd('.'))));
        }
    }

    /// <summary>Checks options without rules of their own.</summary>
    /// <returns>The same options.</returns>
    /// <exception cref="GeoConfigurationException">An option is out of range.</exception>
    public static T Checked<T>(this T options)
        where T : notnull
    {
        Check(typeof(T).Name, [options]);
        return options;
    }

    /// <summary>The exception that says so.</summary>
    public static GeoConfigurationException Wrong(string what, string fault, Exception? cause = null) =>
        new($"{what} do not hold: {fault.TrimEnd('.')}.", cause);
}
