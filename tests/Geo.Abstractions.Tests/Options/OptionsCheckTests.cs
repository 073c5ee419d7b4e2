using System.ComponentModel.DataAnnotations;

namespace Geo.Abstractions.Tests.Options;

public sealed class OptionsCheckTests
{
    [Fact]
    public void Options_that_hold_pass() =>
        OptionsCheck.Check("The options of the test", [new Limits(), null], null, null);

    [Fact]
    public void The_message_names_everything_that_does_not_hold_in_one_sentence()
    {
        var refused = Assert.Throws<GeoConfigurationException>(() => OptionsCheck.Check(
            "The options of the test", [new Limits { Most = 0 }, null, new Limits { Name = "" }], null, "Most is odd"));

        Assert.Equal(
            "The options of the test do not hold: The field Most must be between 1 and 9; The Name field is required; Most is odd.",
            refused.Message);
    }

    [Fact]
    public void What_is_checked_comes_back()
    {
        var limits = new Limits { Most = 9 };

        Assert.Same(limits, limits.Checked());
        Assert.StartsWith(
            "Limits do not hold: ", Assert.Throws<GeoConfigurationException>(() => new Limits { Most = 10 }.Checked()).Message,
            StringComparison.Ordinal);
    }

    private sealed class Limits
    {
        [Range(1, 9)]
        public int Most { get; init; } = 1;

        [Required]
        public string Name { get; init; } = "a";
    }
}
