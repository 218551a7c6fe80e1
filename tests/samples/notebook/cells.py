# ---
# title: A sample
# description: "What a notebook may hold."
# ---

# %% [markdown]
# # A sample
#
# A paragraph with `code` and a [link](other.md#part).
#
#     indented, so code in the text
#
# - a list
#   with a second line

# %%
import torch

text = """# %%not a cell
    kept as it is   
"""

# %% [markdown]

# %% needs="cuda" raises="cuda: RuntimeError"

# A comment that is code.
torch.ones(3) + torch.ones(3, device="cuda")


# %%

# %% title="A title" hl_lines="1" numbers="vary" alt="A line that rises."
for x in range(3):
    print(x)  # ``` in a comment
# %% [markdown]
# The end.
